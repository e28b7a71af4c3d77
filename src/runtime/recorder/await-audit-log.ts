import { parseJson } from '#/core/evidence/bundle-json.ts'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Death } from '#/core/recorder/death.ts'
import { listAt } from '#/core/basics/fields.ts'
import { recordedJob } from '#/core/github/recorded-job.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import type { Store } from '#/ports/store/store.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import { AUDIT_LOG_SOURCE } from '#/runtime/collect/sources/audit-log-evidence.ts'
import { addAuditLogEvents, AWAITED_AUDIT_LOG, isAuditLogAwaited } from './add-audit-log-events.ts'
import { reportedJob } from './death-document.ts'
import type { Draft } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'
import { buildMeans } from './enrich.ts'
import type { EnrichPorts } from './enrich.ts'
import { expiredParts } from './evidence-parts.ts'
import { complete, judgeParts, partsIn, recordUnjudged, pickRevision, write } from './save-death.ts'
import type { RecordingMeans, Unjudged } from './save-death.ts'

const LOOK_AGAIN_MS = 1000

/** The other sources cannot wait: their data is lost first. */
export function recordBeforeAuditLog(means: RecordingMeans, pod: EndedPod, signal: AbortSignal): Promise<Unjudged> {
  return recordUnjudged({ ...means, ports: { ...means.ports, audit: AWAITED_AUDIT_LOG } }, pod, signal)
}

/**
 * Waits the full time even if an actor is known earlier: the start and the end of a delete can arrive separately, and half
 * of them looks like a forced delete.
 */
export async function awaitAuditLog(ports: EnrichPorts, pod: EndedPod, signal: AbortSignal): Promise<void> {
  const { clock } = ports
  while (isAuditLogAwaited(ports, pod, clock.now()) && !signal.aborted) await clock.sleep(LOOK_AGAIN_MS, signal)
}

type Stored = RecordingMeans & { readonly store: Pick<Store, 'deaths'> }
type Given = { readonly pod: EndedPod; readonly unjudged: Unjudged }

/** Adds the audit log to the stored evidence, and judges it. Only the row stayed in memory meanwhile. */
export async function completeWithAuditLog(
  means: Stored,
  { pod, unjudged: { row, reported } }: Given,
  signal: AbortSignal,
): Promise<Death | null> {
  const revision = pickRevision(pod) + 2
  const stored = await readStored(means, pod)
  // The store is unavailable, or our evidence is not stored yet: collect again what is still available.
  if (stored === null || (reported !== null && !stored.meta.sources.has(AUDIT_LOG_SOURCE)))
    return complete(means, pod, signal, { revision })
  const added = await auditLogParts(means, { pod, meta: stored.meta, revision }, signal)
  const job = reported ?? reportedJob(null, recordIn(stored.parts))
  const verdict = await judgeParts(means, [...stored.parts, ...added], { reported: job, signal })
  return write(means, { ...row, verdict }, added)
}

type StoredEvidence = { readonly parts: readonly EvidencePart[]; readonly meta: BundleMeta }

async function readStored({ store }: Stored, { uid }: EndedPod): Promise<StoredEvidence | null> {
  const stored = await store.deaths.get(uid).catch(() => null)
  const parts = stored?.evidence ?? []
  const content = parts.find(({ source }) => source === bundlePath.meta)?.content ?? null
  if (content === null) return null
  const reading = parseMeta(new TextDecoder().decode(content))
  return reading.kind === 'read' && expiredParts(parts).size === 0 ? { parts, meta: reading.meta } : null
}

/** ARC's record, where the process before us stored it. */
function recordIn(parts: readonly EvidencePart[]): RecordedJob | null {
  const content = parts.find(({ source }) => source === bundlePath.resource('ephemeralrunners'))?.content ?? null
  const reading = content === null ? null : parseJson(new TextDecoder().decode(content))
  return reading?.kind === 'parsed' ? recordedJob(listAt(reading.value, 'items')[0] ?? null) : null
}

async function auditLogParts(
  means: RecordingMeans,
  { pod, meta, revision }: { readonly pod: EndedPod; readonly meta: BundleMeta; readonly revision: number },
  signal: AbortSignal,
): Promise<readonly EvidencePart[]> {
  if (meta.sources.get(AUDIT_LOG_SOURCE)?.kind === 'looked') return []
  const answers = createAnswers()
  const sources = (): BundleMeta['sources'] => new Map([...meta.sources, ...answers.sources()])
  const draft: Draft = { files: new Map(), answers, meta: () => ({ ...meta, sources: sources() }) }
  await addAuditLogEvents(draft, pod, buildMeans(draft, means.ports, signal))
  return partsIn(means, draft, { subject: {}, revision })
}
