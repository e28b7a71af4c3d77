import { createHmac } from 'node:crypto'
import type { Clock } from '#/ports/clock.ts'
import type { Seeded } from './seeded.ts'

const LOG_LIFE_MS = 3 * 24 * 3_600_000

/** Carries one webhook to the subscriber. A rejection means that nobody answered. */
export type Deliver = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<{ readonly status: number; readonly body?: string }>

/** Shares between 0 and 1, drawn from the seed for every webhook. */
export type Mishaps = {
  /** Sent, but nobody answers: GitHub's log shows a failure. */
  readonly failed: number
  /** Never sent and in no log, as in an outage of GitHub. */
  readonly lost: number
  readonly duplicated: number
  /** The webhooks of one flush leave in any order. */
  readonly reordered: boolean
}

const NO_MISHAPS: Mishaps = { failed: 0, lost: 0, duplicated: 0, reordered: false }

export type Webhook = {
  readonly event: string
  readonly action: string
  readonly installation: number
  readonly repository: number
  readonly payload: Readonly<Record<string, unknown>>
}

export type LoggedDelivery = Webhook & {
  readonly id: number
  readonly guid: string
  readonly redelivery: boolean
  readonly deliveredAt: number
  readonly durationSeconds: number
  readonly status: string
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly response: string | null
}

type Outgoing = { readonly guid: string; readonly webhook: Webhook; readonly redelivery: boolean }

/** Webhooks wait here until they are flushed, so that a test owns the moment of their arrival. */
export type Webhooks = {
  readonly enqueue: (webhook: Webhook) => void
  /** Sends all that wait, one after the other, and says how many left. */
  readonly flush: () => Promise<number>
  readonly waiting: () => number
  /** GitHub's log of the last three days, newest first. */
  readonly log: () => readonly LoggedDelivery[]
  /** False for a delivery that the log does not have (any more). */
  readonly redeliver: (id: number) => boolean
  readonly setMishaps: (mishaps: Partial<Mishaps>) => void
}

export type WebhookTarget = {
  readonly url: string
  readonly secret: string
  readonly appId: number
  readonly deliver: Deliver
}

export function createWebhooks(options: {
  readonly clock: Clock
  readonly seeded: Seeded
  readonly target: WebhookTarget | null
}): Webhooks {
  const { clock, seeded, target } = options
  const outbox: Outgoing[] = []
  let mishaps = NO_MISHAPS
  const logged: LoggedDelivery[] = []

  const happens = (share: number): boolean => share > 0 && seeded.fraction() < share
  const send = async (outgoing: Outgoing, to: WebhookTarget): Promise<void> => {
    const startedAt = clock.now()
    const body = JSON.stringify(outgoing.webhook.payload)
    const headers = buildHeaders(outgoing, body, to)
    const outcome = happens(mishaps.failed) ? TIMED_OUT : await attempt(to, headers, body)
    logged.push({
      ...outgoing.webhook,
      ...outcome,
      id: seeded.id(),
      guid: outgoing.guid,
      redelivery: outgoing.redelivery,
      deliveredAt: startedAt,
      durationSeconds: (clock.now() - startedAt) / 1_000,
      headers,
    })
  }

  return {
    enqueue: (webhook) => {
      if (target === null || happens(mishaps.lost)) return
      const outgoing: Outgoing = { guid: seeded.guid(), webhook, redelivery: false }
      outbox.push(outgoing)
      if (happens(mishaps.duplicated)) outbox.push(outgoing)
    },
    flush: async () => {
      if (target === null) return 0
      const waiting = outbox.splice(0)
      const leaving = mishaps.reordered ? seeded.shuffled(waiting) : waiting
      for (const outgoing of leaving) await send(outgoing, target)
      return leaving.length
    },
    waiting: () => outbox.length,
    log: () => recent(logged, clock.now()),
    redeliver: (id) => {
      const found = recent(logged, clock.now()).find((delivery) => delivery.id === id)
      if (found === undefined) return false
      const { event, action, installation, repository, payload } = found
      const webhook: Webhook = { event, action, installation, repository, payload }
      outbox.push({ guid: found.guid, webhook, redelivery: true })
      return true
    },
    setMishaps: (change) => {
      mishaps = { ...mishaps, ...change }
    },
  }
}

function signature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

type Outcome = Pick<LoggedDelivery, 'status' | 'statusCode' | 'response'>
const TIMED_OUT: Outcome = { status: 'timed out', statusCode: 504, response: null }
const NO_CONNECTION: Outcome = { status: 'failed to connect to host', statusCode: 502, response: null }

async function attempt(
  target: WebhookTarget,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Outcome> {
  try {
    const answer = await target.deliver(target.url, headers, body)
    const status = answer.status >= 200 && answer.status < 300 ? 'OK' : `Invalid HTTP Response: ${answer.status}`
    return { status, statusCode: answer.status, response: answer.body ?? '' }
  } catch {
    return NO_CONNECTION
  }
}

function buildHeaders(outgoing: Outgoing, body: string, target: WebhookTarget): Readonly<Record<string, string>> {
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/sim',
    'x-github-delivery': outgoing.guid,
    'x-github-event': outgoing.webhook.event,
    'x-github-hook-id': String(target.appId),
    'x-github-hook-installation-target-id': String(target.appId),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature-256': signature(target.secret, body),
  }
}

function recent(logged: readonly LoggedDelivery[], nowMs: number): readonly LoggedDelivery[] {
  return logged.filter((delivery) => delivery.deliveredAt > nowMs - LOG_LIFE_MS).toReversed()
}
