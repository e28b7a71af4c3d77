import { createHmac, randomUUID } from 'node:crypto'
import type { Hono } from 'hono'
import { verifySignature } from '#/adapters/github/webhook-signature.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import { seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { Secret } from '#/core/basics/secret.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { KnownInstallations } from '#/core/webhooks/decide-delivery.ts'
import { DELIVERY_OUTCOMES } from '#/core/webhooks/outcome.ts'
import type { DeliveryRow } from '#/ports/store/deliveries.ts'
import type { Store } from '#/ports/store/store.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createDeliveryWorker } from '#/runtime/webhooks/apply-deliveries.ts'
import type { DeliveryWorker } from '#/runtime/webhooks/apply-deliveries.ts'
import { createApp } from '#/server/app.ts'
import { githubWebhook } from '#/server/webhooks/github-webhook.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import type { HandClock } from '#test/github/hand-clock.ts'

export const SECRET = 'It is a secret to everybody'

export type WebhookWorld = {
  readonly app: Hono
  readonly store: Store
  readonly worker: DeliveryWorker
  readonly clock: HandClock
  /** By outcome, those that happened. */
  readonly counts: () => Readonly<Record<string, number>>
  readonly setPools: (pools: Observed<readonly RunnerPool[]>) => void
  readonly send: (sent: Sent) => Promise<Response>
  /** Every settled delivery, in the order of their receipt. */
  readonly rows: () => Promise<readonly DeliveryRow[]>
}

export type Sent = {
  readonly payload: unknown
  readonly guid?: string
  readonly event?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** The intake and the worker on one store, as `serve` joins them; nothing is applied before the worker is asked to. */
export function webhookWorld({
  store = memoryStore(),
  installations = { id: null, owners: [] },
}: { readonly store?: Store; readonly installations?: KnownInstallations } = {}): WebhookWorld {
  const clock = createHandClock()
  const counted = new Map<string, number>()
  const count = (outcome: string): unknown => counted.set(outcome, (counted.get(outcome) ?? 0) + 1)
  let pools: Observed<readonly RunnerPool[]> = seenList([declarePool('linux')])
  const { assignments, deliveries } = store
  const log = { warn: () => {}, error: () => {} }
  const worker = createDeliveryWorker({
    assignments,
    deliveries,
    pools: () => pools,
    installations,
    clock,
    log,
    settled: count,
  })
  const handler = githubWebhook({
    isSigned: (body, signature) => verifySignature([new Secret('webhook', SECRET)], body, signature) === 'valid',
    record: deliveries.record,
    clock,
    stored: worker.wake,
    counted: count,
    storeFailed: () => {},
  })
  const routes = [{ path: '/webhooks/github', handler }]
  const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log, routes })
  return {
    app,
    store,
    worker,
    clock,
    counts: () => Object.fromEntries(counted),
    setPools: (next) => {
      pools = next
    },
    send: async (sent) => await app.request('/webhooks/github', toRequest(sent)),
    rows: async () => (await deliveries.list({ outcomes: DELIVERY_OUTCOMES, limit: 100_000 })).toReversed(),
  }
}

export function toRequest({ payload, guid = randomUUID(), event = 'workflow_job', headers = {} }: Sent): {
  readonly method: 'POST'
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
} {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const all = {
    'content-type': 'application/json',
    'x-github-delivery': guid,
    'x-github-event': event,
    'x-hub-signature-256': sign(body),
    ...headers,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { method: 'POST', body, headers: Object.fromEntries(given) }
}

export function sign(body: string | Uint8Array, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

const START = Date.UTC(2026, 10, 15, 11)
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString()

type JobFields = Readonly<Record<string, unknown>>

/** What GitHub sends about a job of `acme/app` that the pool `runners/linux` serves. */
export function jobPayload(
  job: JobFields,
  { repository = 'acme/app', installation = 1 } = {},
): Readonly<Record<string, unknown>> {
  const workflowJob = {
    id: 1,
    run_id: 10,
    run_attempt: 1,
    workflow_name: 'ci',
    name: 'build',
    status: 'queued',
    conclusion: null,
    labels: ['self-hosted', 'linux'],
    runner_id: null,
    runner_name: null,
    created_at: at(0),
    started_at: at(0),
    completed_at: null,
    ...job,
  }
  const action = workflowJob.status
  return {
    action,
    workflow_job: workflowJob,
    repository: { full_name: repository },
    installation: { id: installation },
  }
}

export const OUR_RUNNER = { runner_id: 7, runner_name: 'linux-a-1' }
export const inProgress = (job: JobFields = {}): JobFields => ({
  status: 'in_progress',
  started_at: at(5),
  ...OUR_RUNNER,
  ...job,
})
export const completed = (job: JobFields = {}): JobFields => ({
  status: 'completed',
  conclusion: 'success',
  started_at: at(5),
  completed_at: at(60),
  ...OUR_RUNNER,
  ...job,
})
export const STARTED_AT = START + 5000
export const COMPLETED_AT = START + 60_000
