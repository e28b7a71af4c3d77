import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import { toActor } from '#/core/why/actor.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Ending } from '#/core/why/ending.ts'
import { fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { isRunnerSurely, knownRunnerContainer, runnerCandidates } from '#/core/kubernetes/runner-container.ts'

/** Who requested the end of the pod, how, and whether it was still alive. */
export type Removal = {
  readonly by: string | null
  readonly at: number | null
  /** `forced`: the object was removed at once. `ordinary`: the kubelet ended the pod first. Null: this source does not show it. */
  readonly manner: 'forced' | 'ordinary' | null
  /** A delete after the end is clean-up, not a kill. */
  readonly isAfterEnd: boolean
  readonly fact: Fact
}

/** Clock differences and whole seconds make the order uncertain by this much. */
const BLUR_MS = 1500

export function readRemovals(evidence: Evidence, ending: Ending): readonly Removal[] {
  const removals = [...auditLogRemovals(evidence, ending), ...journalRemovals(evidence), ...objectRemovals(evidence)]
  const reapedAt = Math.min(...removals.filter(({ isAfterEnd }) => isAfterEnd).map(({ at }) => at ?? Infinity))
  // If one source shows that it came after the end, the others show the same delete.
  return removals.map((removal) => (isFrom(removal, reapedAt) ? asReaping(removal) : removal))
}

function isFrom({ at }: Removal, reapedAt: number): boolean {
  return at !== null && at >= reapedAt - BLUR_MS
}

function asReaping({ by, at, fact }: Removal): Removal {
  return { by, at, fact, manner: null, isAfterEnd: true }
}

function isRequest({ verb, resource, subresource, status }: AuditLogFacts): boolean {
  if (status !== null && status >= 400) return false
  if (resource === 'pods' && subresource === 'eviction') return verb === 'create'
  return resource === 'pods' && subresource === null && (verb === 'delete' || verb === 'deletecollection')
}

function auditLogRemovals(evidence: Evidence, ending: Ending): readonly Removal[] {
  const requests = evidence.auditLog.filter((line) => isRequest(line) && isInLife(line, evidence))
  const finishing = requests.filter(({ user }) => user.startsWith('system:node:'))
  return requests
    .filter(({ user }) => !user.startsWith('system:node:'))
    .map((line) => {
      const isFinished = finishing.some((end) => isFinish(end.at, line.at, evidence))
      const isAfterEnd = isLater(line.at, evidence, ending)
      return {
        by: toActor(line.user, line.userAgent),
        at: line.at,
        manner: isAfterEnd ? null : readManner(line, isFinished, evidence),
        isAfterEnd,
        fact: auditLogFact(line),
      }
    })
}

const LONGEST_GRACE_S = 600
const FINISHING_S = 60

/** The kubelet finishes a delete within the grace period. A delete an hour later is about a successor. */
function isFinish(endedAt: number | null, askedAt: number | null, { pod }: Evidence): boolean {
  if (endedAt === null || askedAt === null || endedAt < askedAt) return false
  const grace = Math.max(pod?.specGraceSeconds ?? LONGEST_GRACE_S, pod?.graceSeconds ?? 0)
  return endedAt - askedAt <= (grace + FINISHING_S) * 1000
}

/** If only the log gives the time, its last line is the end only if it says so: the runner may just have been silent. */
function isLater(at: number | null, { clues }: Evidence, ending: Ending): boolean {
  if (at === null || ending.at === null || at <= ending.at + BLUR_MS) return false
  return !ending.isAtLeast || clues.some(({ is, about }) => about === 'subject' && LAST_WORDS.has(is))
}

const LAST_WORDS: ReadonlySet<string> = new Set(['listener-exited', 'runner-process-killed', 'one-time-runner-done'])

/** Other pods may have had the name before and after: without a time of this pod, a line cannot be attributed to it. */
function isInLife({ at, uid }: AuditLogFacts, { pod, events, subject, job, log, clues }: Evidence): boolean {
  if (uid !== null && uid === subject.uid) return true
  const own = events.filter(({ kind, name }) => kind === 'Pod' && name === subject.pod)
  const seen = clues.filter(({ about, source }) => about === 'subject' && source.startsWith('journal'))
  const begins = [
    pod?.createdAt,
    job?.startedAt,
    log?.firstAt,
    ...own.map(({ firstAt }) => firstAt),
    ...seen.map((clue) => clue.at),
  ]
  const known = begins.filter((time) => time !== null && time !== undefined)
  if (known.length === 0 || at === null) return false
  return at >= (pod?.createdAt ?? Math.min(...known)) - BLUR_MS
}

function readManner(line: AuditLogFacts, isFinished: boolean, evidence: Evidence): Removal['manner'] {
  if (isFinished || line.subresource === 'eviction' || line.verb === 'deletecollection') return 'ordinary'
  if (line.graceSeconds === 0) return 'forced'
  return line.graceSeconds !== null || line.hasBody ? 'ordinary' : guessManner(line, evidence)
}

/** Audit level Metadata hides the grace. The object may show it; otherwise it is forced if the kubelet never finished the delete. */
function guessManner({ at }: AuditLogFacts, evidence: Evidence): Removal['manner'] {
  const { sources, pod } = evidence
  if (pod !== null && pod.deletedAt !== null && (pod.graceSeconds ?? 0) > 0) return 'ordinary'
  const audit = sources.get('kubernetes/audit')
  const coveredTo = audit?.kind === 'looked' ? (audit.to ?? Infinity) : -Infinity
  return at !== null && coveredTo >= at + settledAfterMs(evidence) ? 'forced' : null
}

const SETTLED_MS = 10_000

/** A graceful delete finishes soon after the grace period. An object deleted with grace 0 needs no longer wait. */
function settledAfterMs({ pod }: Evidence): number {
  if (pod !== null && pod.deletedAt !== null && pod.graceSeconds === 0) return SETTLED_MS
  return ((pod?.specGraceSeconds ?? LONGEST_GRACE_S) + FINISHING_S) * 1000
}

function auditLogFact(line: AuditLogFacts): Fact {
  const what =
    line.subresource === 'eviction'
      ? 'evicted the pod'
      : line.verb === 'deletecollection'
        ? 'deleted every pod of the namespace'
        : 'deleted the pod'
  const grace = line.graceSeconds === null ? '' : ` with a grace of ${line.graceSeconds} s`
  const text = `${line.user} ${what}${grace}`
  return fieldFact({
    is: 'removal-asked',
    source: 'kubernetes/audit',
    at: line.at,
    text,
    fields: { user: line.user, verb: line.verb },
  })
}

/** DELETE, end, REMOVE is a graceful delete. REMOVE before the end is a forced one. Both after the end are clean-up. */
function journalRemovals({ clues }: Evidence): readonly Removal[] {
  const own = clues.filter(({ about, source }) => about === 'subject' && source.startsWith('journal'))
  const seen = own.find(({ is }) => is === 'pod-delete-seen')
  if (seen === undefined) return []
  const gone = own.find(({ is, text }) => is === 'pod-object-gone' && text.includes('SyncLoop REMOVE'))
  const exits = own.filter(({ is }) => is === 'container-exit')
  const exit = exits.find(({ fields }) => fields['name'] === 'runner') ?? exits.at(-1)
  const endOrder = exit?.order ?? Infinity
  const isAfterEnd = endOrder < seen.order
  const isForced = gone !== undefined && gone.order < endOrder
  const fact = isForced ? { ...gone, text: `${gone.text} (before the container had ended)` } : seen
  const manner = isForced ? 'forced' : exit === undefined ? null : 'ordinary'
  return [{ by: null, at: seen.at, manner: isAfterEnd ? null : manner, isAfterEnd, fact }]
}

/** The last object of a graceful delete has grace 0 too: only one that still runs was force-deleted. */
function objectRemovals({ pod }: Evidence): readonly Removal[] {
  if (pod === null || pod.deletedAt === null) return []
  const runner = knownRunnerContainer(pod)
  const isRunning = isRunnerSurely(pod, 'running')
  const askedAt = pod.deletedAt - (pod.graceSeconds ?? 0) * 1000
  const base = { is: 'deletion-marked', source: 'kubernetes/pods', at: pod.deletedAt }
  const grace = `deletion due at ${new Date(pod.deletedAt).toISOString()}, grace ${pod.graceSeconds ?? '?'} s`
  if (isRunning && pod.graceSeconds === 0) {
    const fact = fieldFact({ ...base, text: `the last object still runs and is deleted with grace 0 (${grace})` })
    return [{ by: null, at: askedAt, manner: 'forced', isAfterEnd: false, fact }]
  }
  const finishedAt = runner?.state.kind === 'terminated' ? runner.state.finishedAt : null
  const fact = fieldFact({ ...base, text: `the pod was marked for deletion (${grace})` })
  // The kubelet moves the deletion time to its own last delete: one that is due seconds after the end was requested before it.
  const isAfterEnd = finishedAt !== null && askedAt > finishedAt + FINISHING_MS
  const isUnknown = isAfterEnd || mayBeForced(pod)
  return [{ by: null, at: askedAt, manner: isUnknown ? null : 'ordinary', isAfterEnd, fact }]
}

/** One of several that may be the runner still runs. */
function mayBeForced(pod: PodFacts): boolean {
  return pod.graceSeconds === 0 && runnerCandidates(pod).some(({ state }) => state.kind === 'running')
}

const FINISHING_MS = 5000
