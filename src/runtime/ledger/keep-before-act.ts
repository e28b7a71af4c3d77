import { BEFORE_ACT, toEvidenceUid } from '#/core/ledger/evidence-uid.ts'
import type { LedgerAct } from '#/core/ledger/acts.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { parseMeta, printMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta, SourceAnswer } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { sourceName } from '#/core/evidence/bundle-source.ts'
import type { Clock } from '#/ports/clock.ts'
import type { DeathRecord, Deaths } from '#/ports/store/deaths.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { toParts } from '#/runtime/recorder/evidence-parts.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import { sha256 } from '#/runtime/sha256.ts'

export type KeepMeans = {
  readonly ledger: Pick<Ledger, 'list'>
  readonly deaths: Pick<Deaths, 'get' | 'record'>
  readonly redact: RecordingMeans['redact']
  readonly rules: string
  readonly clock: Pick<Clock, 'now'>
}

export type ToKeep = { readonly meta: BundleMeta; readonly files: ReadonlyMap<string, string> }

export type Kept =
  | { readonly kind: 'stored'; readonly uid: string }
  | { readonly kind: 'unknown' | 'ended' }
  /** What goes itself would not be in it. */
  | { readonly kind: 'incomplete'; readonly why: string }

const POD_ONLY: ReadonlySet<LedgerAct> = new Set(['delete-pod', 'recreate-listener'])

/** The records and pods that go. Without a log or an event a post-mortem is poorer; without these it is none. */
function neededFor(act: LedgerAct): readonly string[] {
  const pods = bundlePath.resource('pods')
  return POD_ONLY.has(act) ? [pods] : [bundlePath.resource('ephemeralrunners'), pods]
}

/**
 * Stores what an attempt is about to remove, redacted, under a UID of its own: the pod's UID belongs to the death that the
 * recorder will see. It is durable when the promise resolves. The same attempt stores once.
 */
export async function keepBeforeAct(means: KeepMeans, attempt: number, given: ToKeep): Promise<Kept> {
  const [row] = await means.ledger.list({ id: attempt, limit: 1 })
  if (row === undefined) return { kind: 'unknown' }
  if (row.outcome !== 'planned') return { kind: 'ended' }
  const uid = toEvidenceUid(sha256(Buffer.from(`attempt ${row.id} ${row.at}`)))
  if ((await means.deaths.get(uid)) !== null) return { kind: 'stored', uid }
  const { files, meta } = await redactAll(means, row, given)
  const lacking = neededFor(row.act).find((path) => !files.has(path))
  if (lacking !== undefined) {
    const answer = meta.sources.get(sourceName(lacking))
    return { kind: 'incomplete', why: `${lacking}: ${answer?.kind === 'blind' ? answer.reason : 'it was not sent'}` }
  }
  await means.deaths.record(toRecord(means, uid, row), toParts(files, meta, 0))
  return { kind: 'stored', uid }
}

async function redactAll({ redact }: KeepMeans, { id }: LedgerRow, given: ToKeep) {
  const key = `for attempt ${id}`
  const files = new Map<string, Uint8Array>()
  const costly = new Map<string, SourceAnswer>()
  for (const [path, content] of given.files) {
    const redacted = await redact({ path, content }, key)
    if (redacted.kind === 'redacted') files.set(redacted.path, redacted.content)
    else costly.set(sourceName(path), { kind: 'blind', reason: describeReason(redacted.reason) })
  }
  const sources = new Map([...given.meta.sources, ...costly])
  const printed = await redact({ path: bundlePath.meta, content: printMeta({ ...given.meta, sources }) }, key)
  const reading = printed.kind === 'redacted' ? parseMeta(Buffer.from(printed.content).toString('utf8')) : null
  if (reading?.kind !== 'read') throw new Error('meta.json cannot be redacted')
  return { files, meta: reading.meta }
}

function toRecord({ rules, clock }: KeepMeans, uid: string, { id, subject, scaleSet, act }: LedgerRow): DeathRecord {
  const now = clock.now()
  const sentence = `Kept before an attempt to ${act}; see: signalbox ledger --subject ${subject.name} (row ${id}).`
  const document = { sentence, next: [], blind: [] }
  return {
    uid,
    namespace: subject.namespace ?? '',
    pod: subject.name,
    node: null,
    scope: null,
    job: null,
    pool: scaleSet,
    repository: null,
    runner: null,
    missed: false,
    diedAt: now,
    recordedAt: now,
    verdict: { cause: 'unknown', kind: BEFORE_ACT, confidence: 0, rules, judgedAt: now, document },
  }
}
