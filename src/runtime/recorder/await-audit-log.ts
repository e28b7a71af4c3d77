import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Deaths, DeathRecord } from '#/ports/store/deaths.ts'
import { findEvidence } from '#/runtime/outbox/find-death.ts'
import type { Outbox } from '#/runtime/outbox/outbox.ts'
import { AUDIT_LOG_SOURCE } from '#/runtime/collect/sources/audit-log-evidence.ts'
import { AWAITED_AUDIT_LOG, isAuditLogAwaited } from './add-audit-log-events.ts'
import { addAuditLog } from './enrich.ts'
import type { EnrichPorts } from './enrich-ports.ts'
import type { EndedPod } from './ended-pod.ts'
import { expiredParts, toFiles } from './evidence-parts.ts'
import type { Collected } from './held-evidence.ts'
import { collect } from './collect-evidence.ts'
import { gather, openDraft, pickRevision, storeGathered } from './save-death.ts'
import type { Gathered, RecordingMeans } from './save-death.ts'

const LOOK_AGAIN_MS = 1000

/** A death whose other evidence is stored; only the row stays in memory. */
export type BeforeAuditLog = Pick<Gathered, 'row' | 'reported'>

/** The other sources cannot wait: their data is lost first. */
export async function gatherBeforeAuditLog(
  means: RecordingMeans,
  death: { readonly pod: EndedPod; readonly known: DeathRecord | null },
  signal: AbortSignal,
): Promise<BeforeAuditLog> {
  const gathered = await gather({ ...means, ports: { ...means.ports, audit: AWAITED_AUDIT_LOG } }, death, signal)
  await storeGathered(means, gathered)
  const { row, reported } = gathered
  return { row, reported }
}

/**
 * Waits the full time even if an actor is known earlier: the start and the end of a delete can arrive separately, and half
 * of them looks like a forced delete.
 */
export async function awaitAuditLog(ports: EnrichPorts, pod: EndedPod, signal: AbortSignal): Promise<void> {
  const { clock, progress } = ports
  const isAwaited = (): boolean => isAuditLogAwaited(ports, pod)
  if (!isAwaited()) return
  const waitingFor = { kind: 'audit-log', what: 'audit events from before this server started' } as const
  await progress.during(pod.uid, waitingFor, async () => {
    while (isAwaited() && !signal.aborted) await clock.sleep(LOOK_AGAIN_MS, signal)
  })
}

/** Adds the audit log to what was gathered before. */
export async function gatherAuditLogEvents(
  means: RecordingMeans,
  { pod, row, reported }: BeforeAuditLog & { readonly pod: EndedPod },
  signal: AbortSignal,
): Promise<Gathered> {
  const { draft } = await openDraft(means, pod)
  // Neither in memory nor stored: collect again what is still available.
  if (draft.before?.meta.sources.has(AUDIT_LOG_SOURCE) !== true) return gather(means, { pod, known: row }, signal)
  const { progress, clock } = means.ports
  await addAuditLog(draft, means.ports, { pod, progress, clock, signal })
  const { parts, collected } = await collect(means, draft, { subject: {}, revision: pickRevision(means, pod, 2) })
  return { row, reported, parts, collected }
}

/** What is stored of a death, or waits to be, to continue from there; null where there is nothing, or not all of it any more. */
export async function readCollected(
  means: { readonly deaths: Pick<Deaths, 'get'>; readonly outbox: Pick<Outbox, 'find'> },
  uid: string,
): Promise<Collected | null> {
  const parts = (await findEvidence(means, uid)) ?? []
  const files = new Map(toFiles(parts))
  const content = files.get(bundlePath.meta)
  if (content === undefined || expiredParts(parts).size > 0) return null
  const reading = parseMeta(new TextDecoder().decode(content))
  if (reading.kind !== 'read') return null
  files.delete(bundlePath.meta)
  return { files, meta: reading.meta, marks: new Map(), inHand: null }
}
