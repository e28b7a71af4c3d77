import { blind } from '#/core/basics/observed.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { AskedEnd } from '#/runtime/collect/audit-evidence.ts'
import { AUDIT_SOURCE, gatherAudit } from '#/runtime/collect/audit-evidence.ts'
import type { Means } from '#/runtime/collect/request.ts'
import type { Draft } from './draft.ts'
import type { EndedPod } from './ended-pod.ts'

const BEFORE_MS = 10 * 60_000
/** Who removed the object is logged after the removal. */
const AUDIT_LAG_MS = 1000

/** Who asked for the end of the pod, as the audit log has it. */
export async function addAudit(
  { files, answers }: Pick<Draft, 'files' | 'answers'>,
  pod: EndedPod,
  means: Means,
): Promise<void> {
  if (means.request.audit === null) {
    answers.blind(AUDIT_SOURCE, blind('not-asked', 'no audit log is configured').reason)
    return
  }
  const { namespace, name, node } = pod.facts
  const end = endOf(pod)
  const nodes = new Set(node === null ? [] : [node])
  const window = { from: end.from - BEFORE_MS, to: null }
  const awaited = pod.diedAt + AUDIT_LAG_MS
  const scope = { namespaces: new Set([namespace]), pods: new Set([name]), nodes, window, awaited }
  try {
    for await (const file of gatherAudit(means, scope, end)) files.set(file.path, file)
  } catch (error) {
    // When we are stopped, whoever starts next goes on. When only the time of this death is over, it is judged without it.
    if (!isOutOfTime(means.request.signal)) throw error
    answers.blind(AUDIT_SOURCE, blind('timeout', 'the audit log was not read in time').reason)
  }
}

function isOutOfTime({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

/** A delete is asked for before the end, by as much as the grace; of one that nobody saw go only the last sight is sure. */
export function endOf({ uid, facts, diedAt, seenAt, foundAt, missed }: EndedPod): AskedEnd {
  const { createdAt: bornAt, deletedAt, graceSeconds } = facts
  const askedAt = deletedAt === null ? diedAt : deletedAt - (graceSeconds ?? 0) * 1000
  const lastLife = missed && diedAt >= foundAt ? seenAt : diedAt
  return { uid, bornAt, from: Math.min(diedAt, askedAt, lastLife), to: diedAt }
}

type Waiting = { readonly audit: AuditLog | null; readonly auditBackBy: number }

/** Whether what says who did it may still be on its way: it was sent while nobody here took it. */
export function isAuditAwaited({ audit, auditBackBy }: Waiting, pod: EndedPod, now: number): boolean {
  if (audit?.takenSince === undefined || now >= auditBackBy) return false
  const since = audit.takenSince()
  return since === null || pod.missed || endOf(pod).from < since
}

/** Stands for the log until then. */
export const AWAITED_AUDIT: AuditLog = {
  lines: async function* () {
    yield { kind: 'blind', reason: { code: 'not-asked', detail: 'what was sent while nobody took it is awaited' } }
  },
}
