import { blind } from '#/core/basics/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { AskedEnd } from '#/runtime/collect/sources/audit-log-evidence.ts'
import { AUDIT_LOG_SOURCE, gatherAuditLog } from '#/runtime/collect/sources/audit-log-evidence.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import type { Draft } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'

const BEFORE_MS = 10 * 60_000
/** The audit log line about a removal comes after the removal. */
const AUDIT_LOG_LAG_MS = 1000

/** Who deleted or evicted the pod, from the audit log. */
export async function addAuditLogEvents(
  { files, answers }: Pick<Draft, 'files' | 'answers'>,
  pod: EndedPod,
  means: Means,
): Promise<void> {
  if (means.request.audit === null) {
    answers.blind(AUDIT_LOG_SOURCE, blind('not-asked', 'no audit log is configured').reason)
    return
  }
  const { namespace, name, node } = pod.facts
  const end = toAskedEnd(pod)
  const nodes = new Set(node === null ? [] : [node])
  const window = { from: end.from - BEFORE_MS, to: null }
  const awaited = pod.diedAt + AUDIT_LOG_LAG_MS
  const scope = { namespaces: new Set([namespace]), pods: new Set([name]), nodes, window, awaited }
  try {
    for await (const file of gatherAuditLog(means, scope, end)) files.set(file.path, file)
  } catch (error) {
    // At a shutdown the next process continues. If only this death ran out of time, it is judged without the audit log.
    if (!isOutOfTime(means.request.signal)) throw error
    answers.blind(AUDIT_LOG_SOURCE, blind('timeout', 'the audit log was not read in time').reason)
  }
}

function isOutOfTime({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

/** A delete request precedes the end by up to the grace period. For a missed pod only the time it was last seen is certain. */
export function toAskedEnd({ uid, facts, diedAt, seenAt, foundAt, missed }: EndedPod): AskedEnd {
  const { createdAt: bornAt, deletedAt, graceSeconds } = facts
  const askedAt = deletedAt === null ? diedAt : deletedAt - (graceSeconds ?? 0) * 1000
  const lastLife = missed && diedAt >= foundAt ? seenAt : diedAt
  return { uid, bornAt, from: Math.min(diedAt, askedAt, lastLife), to: diedAt }
}

type Waiting = { readonly audit: AuditLog | null; readonly mayAuditLogReturn: () => boolean }

/** Whether the API server may still resend audit events from the time in which we were not receiving them. */
export function isAuditLogAwaited({ audit, mayAuditLogReturn }: Waiting, pod: EndedPod): boolean {
  if (audit?.takenSince === undefined || !mayAuditLogReturn()) return false
  const since = audit.takenSince()
  return since === null || pod.missed || toAskedEnd(pod).from < since
}

/** Used in place of the audit log until then. */
export const AWAITED_AUDIT_LOG: AuditLog = {
  lines: async function* () {
    yield {
      kind: 'blind',
      reason: { code: 'not-asked', detail: 'waiting for audit events from before this server started' },
    }
  },
}
