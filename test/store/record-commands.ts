import fc from 'fast-check'
import { DELIVERY_OUTCOMES } from '#/core/webhooks/outcome.ts'
import type { DeliveryOutcome } from '#/core/webhooks/outcome.ts'
import type { BreakerRow } from '#/ports/store/breakers.ts'
import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { Delivery } from '#/ports/store/deliveries.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { FindingRow } from '#/ports/store/findings.ts'
import type { Store } from '#/ports/store/store.ts'
import type { Verdict } from '#/ports/store/deaths.ts'
import type { LivePod } from '#/ports/store/live-pods.ts'
import type { RetentionPolicy } from '#/ports/store/retention.ts'
import { ledgerCommand, performOnLedger } from './ledger-commands.ts'
import type { LedgerCommand } from './ledger-commands.ts'

/** Commands for everything but the assignments, with so few keys that commands often collide. */
export type RecordCommand =
  | { readonly kind: 'deliver'; readonly delivery: Delivery }
  | { readonly kind: 'settle'; readonly guid: string; readonly at: number; readonly outcome: DeliveryOutcome }
  | { readonly kind: 'take'; readonly at: number; readonly limit: number }
  | {
      readonly kind: 'postpone'
      readonly guid: string
      readonly attempt: number
      readonly at: number
      readonly counts: boolean
    }
  | {
      readonly kind: 'reopen'
      readonly outcomes: readonly DeliveryOutcome[]
      readonly since: number
      readonly limit: number
    }
  | { readonly kind: 'record-death'; readonly death: DeathRecord; readonly evidence: readonly EvidencePart[] }
  | { readonly kind: 'rejudge'; readonly uid: string; readonly verdict: Verdict }
  | { readonly kind: 'put-live-pods'; readonly livePods: readonly LivePod[] }
  | { readonly kind: 'remove-live-pods'; readonly uids: readonly string[] }
  | { readonly kind: 'notice' | 'release-notice'; readonly channel: string; readonly key: string; readonly at: number }
  | LedgerCommand
  | { readonly kind: 'find'; readonly audit: string; readonly at: number; readonly findings: readonly FindingRow[] }
  | { readonly kind: 'trip'; readonly row: BreakerRow }
  | { readonly kind: 'sweep'; readonly policy: RetentionPolicy }

const NOW = 1000
export const KEYS = ['a', 'b', 'c']

const time = fc.nat(NOW)
const key = fc.constantFrom(...KEYS)
/** Includes what PostgreSQL cannot store unchanged: a NUL, and half of a surrogate pair. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('a', '\0', '\uD800', '\uDC00') }),
)
const document = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(text, text))

const verdict: fc.Arbitrary<Verdict> = fc.record({
  cause: fc.constantFrom('oom-killed', 'evicted'),
  kind: fc.constantFrom('death', 'not-a-death', 'never-started'),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  rules: key,
  judgedAt: time,
  document,
})

const death: fc.Arbitrary<DeathRecord> = fc.record({
  uid: key,
  namespace: text,
  pod: text,
  node: fc.option(key),
  scope: fc.option(key),
  job: fc.option(fc.maxSafeNat()),
  pool: fc.option(key),
  repository: fc.option(key),
  runner: fc.option(key),
  missed: fc.boolean(),
  diedAt: time,
  recordedAt: time,
  verdict: fc.option(verdict),
})

const evidence: fc.Arbitrary<EvidencePart> = fc
  .record({
    source: key,
    observed: fc.constantFrom('seen', 'none', 'blind'),
    reason: text,
    content: fc.uint8Array(),
    revision: fc.nat(2),
  })
  .map(({ source, observed, reason, content, revision }) => ({
    source,
    observed,
    reason: observed === 'blind' ? reason : null,
    content: observed === 'seen' ? content : null,
    revision,
  }))

const livePod: fc.Arbitrary<LivePod> = fc.record({
  uid: key,
  namespace: text,
  pod: text,
  node: fc.option(key),
  pool: fc.option(key),
  seenAt: time,
  object: document,
})

const breaker: fc.Arbitrary<BreakerRow> = fc.record({
  key,
  generation: fc.nat(3),
  failures: fc.nat(9),
  openUntil: fc.option(time),
  why: fc.option(text),
  changedAt: time,
})

const outcome = fc.constantFrom(...DELIVERY_OUTCOMES)
const attempt = fc.integer({ min: 1, max: 3 })

export const recordCommand: fc.Arbitrary<RecordCommand> = fc.oneof(
  fc.record({
    kind: fc.constant('deliver' as const),
    delivery: fc.record({
      guid: key,
      event: text,
      receivedAt: time,
      job: fc.option(fc.integer({ min: 1, max: 2 })),
      repository: fc.option(key),
      body: text,
    }),
  }),
  fc.record({ kind: fc.constant('settle' as const), guid: key, at: time, outcome }),
  fc.record({ kind: fc.constant('take' as const), at: time, limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('postpone' as const), guid: key, attempt, at: time, counts: fc.boolean() }),
  fc.record({ kind: fc.constant('reopen' as const), outcomes: fc.array(outcome), since: time, limit: attempt }),
  fc.record({ kind: fc.constant('record-death' as const), death, evidence: fc.array(evidence, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('rejudge' as const), uid: key, verdict }),
  fc.record({ kind: fc.constant('put-live-pods' as const), livePods: fc.array(livePod, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('remove-live-pods' as const), uids: fc.array(key, { maxLength: 2 }) }),
  fc.record({ kind: fc.constantFrom('notice' as const, 'release-notice' as const), channel: key, key, at: time }),
  { arbitrary: ledgerCommand({ time, key, text }), weight: 4 },
  fc.record({
    kind: fc.constant('find' as const),
    audit: key,
    at: time,
    findings: fc.array(fc.record({ key, class: text, severity: text, document }), { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('trip' as const), row: breaker }),
  fc.record({
    kind: fc.constant('sweep' as const),
    policy: fc.record({
      deliveriesMs: time,
      finishedJobsMs: time,
      deathsMs: time,
      ledgerMs: time,
      evidenceBytes: fc.nat(100),
    }),
  }),
)

export async function performOnRecords(store: Store, command: RecordCommand): Promise<unknown> {
  return isOfDeliveries(command) ? await performOnDeliveries(store, command) : await performOnOthers(store, command)
}

async function performOnOthers(store: Store, command: Exclude<RecordCommand, DeliveryCommand>): Promise<unknown> {
  switch (command.kind) {
    case 'record-death':
      return await store.deaths.record(command.death, command.evidence)
    case 'rejudge':
      return await store.deaths.rejudge(command.uid, command.verdict)
    case 'begin-attempt':
    case 'record-attempt':
    case 'move-attempt':
      return await performOnLedger(store, command)
    case 'find':
      return await store.findings.replace(command.audit, command.at, command.findings)
    case 'trip':
      return await store.breakers.put(command.row)
    case 'sweep':
      return await store.retention.sweep(command.policy, NOW)
    default:
      return await performOnLivePods(store, command)
  }
}

type LivePodCommand = Extract<
  RecordCommand,
  { readonly kind: 'put-live-pods' | 'remove-live-pods' | 'notice' | 'release-notice' }
>

async function performOnLivePods(store: Store, command: LivePodCommand): Promise<unknown> {
  switch (command.kind) {
    case 'put-live-pods':
      return await store.livePods.put(command.livePods)
    case 'remove-live-pods':
      return await store.livePods.remove(command.uids)
    case 'notice':
      return await store.notices.claim(command)
    case 'release-notice':
      return await store.notices.release(command.channel, command.key)
  }
}

const OF_DELIVERIES = ['deliver', 'settle', 'take', 'postpone', 'reopen'] as const
type DeliveryCommand = Extract<RecordCommand, { kind: (typeof OF_DELIVERIES)[number] }>

function isOfDeliveries(command: RecordCommand): command is DeliveryCommand {
  return OF_DELIVERIES.some((kind) => kind === command.kind)
}

async function performOnDeliveries({ deliveries }: Store, command: DeliveryCommand): Promise<unknown> {
  switch (command.kind) {
    case 'deliver':
      return await deliveries.record(command.delivery)
    case 'settle':
      return await deliveries.settle(command.guid, { at: command.at, outcome: command.outcome, why: 'not ours' })
    case 'take':
      return await deliveries.take({ ...command, until: command.at + 10 })
    case 'postpone':
      return await deliveries.postpone(command.guid, { ...command, why: 'later' })
    case 'reopen':
      return await deliveries.reopen({ ...command, receivedSince: command.since })
  }
}
