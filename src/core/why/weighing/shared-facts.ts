import { NAMED_ABOVE, limitedWhile, seemsToContradict, contradicts } from '#/core/why/cause.ts'
import type { Point } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import { fieldFact } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'
import type { Removal } from '#/core/why/removal.ts'

/** Facts that several causes weigh, each in its own way. */

const PODS = 'kubernetes/pods'

/** The job ended by itself: it succeeded, or a step failed. What happened to the pod later did no harm. */
export function workDone(d: Dossier): readonly Fact[] {
  const { result, github } = d.working
  const isDone = isGood(result) || isOwnFailure(d)
  const isDoneAtGitHub = github.conclusion === 'success' || github.conclusion === 'neutral'
  const isOver = isDoneAtGitHub || wasOverBefore(d)
  return [
    ...(isDone && result !== null ? [result] : []),
    ...(isOver && github.completed !== null ? [github.completed] : []),
  ]
}

function isGood(result: Fact | null): boolean {
  return /^(?:Succeeded|SucceededWithIssues)$/.test(result?.fields['result'] ?? '')
}

/** A step failed, and nothing else of the pod before it. */
function isOwnFailure(d: Dossier): boolean {
  const { result } = d.working
  if (result?.fields['result'] !== 'Failed' || d.ending.isOther) return false
  return [...crashedWorkers(d), ...brokenDisk(d), ...stopSignsBefore(d, result)].length === 0
}

const DISK_BEFORE_MS = 600_000
const DISK_AFTER_MS = 60_000

/** What the kernel reports of a disk, at the time when the job or the runner could not use it. Reports alone are of any disk. */
export function brokenDisk(d: Dossier): readonly Fact[] {
  const times = d.subjectClues('disk-refused').flatMap(({ at }) => at ?? [])
  const [from, to] = [Math.min(...times) - DISK_BEFORE_MS, Math.max(...times) + DISK_AFTER_MS]
  return d.clues.filter(
    ({ is, at }) => (is === 'io-error' || is === 'filesystem-error') && at !== null && at >= from && at <= to,
  )
}

const HIGHEST_OWN_CODE = 127

/** The worker crashed, and the listener, which lived on, reported the job as failed. With 1 it stopped at an error that it logged. */
export function crashedWorkers(d: Dossier): readonly Fact[] {
  return d.subjectClues('worker-crashed').filter(({ fields }) => Number(fields['code']) > HIGHEST_OWN_CODE)
}

const WELL_BEFORE_MS = 20_000

/** GitHub closed the job, with every step reported, well before anything happened to the pod. */
function wasOverBefore({ working: { github }, stopping, ending, removals }: Dossier): boolean {
  if (github.completed === null || github.lost.length > 0 || github.completed.at === null) return false
  const asked = [
    ...stopping.stops,
    ...stopping.requests.map(({ fact }) => fact),
    ...removals.filter((one) => !one.isAfterEnd),
  ]
  const times = asked.flatMap(({ at }) => at ?? [])
  // The last line of a log is not the end: it counts only if nothing else is known to have happened.
  const first = Math.min(...times, ending.isAtLeast && times.length > 0 ? Infinity : (ending.at ?? Infinity))
  return first !== Infinity && github.completed.at < first - WELL_BEFORE_MS
}

/** Signs that a signal reached the runner before it logged the result, which is then an effect of the signal. */
function stopSignsBefore(d: Dossier, result: Fact): readonly Fact[] {
  return d.stopping.stopSigns.filter(
    ({ at, source }) => source === result.source && at !== null && result.at !== null && at <= result.at + 1000,
  )
}

export function hasSucceeded(d: Dossier): readonly Fact[] {
  const isSuccess = d.working.github.conclusion === 'success' || d.working.github.conclusion === 'neutral'
  return workDone(d).filter(({ fields, is }) =>
    is === 'job-completed' ? isSuccess : (fields['result'] ?? '').startsWith('Succeeded'),
  )
}

/** The completed job at GitHub, if it has one of these conclusions. */
export function concluded(d: Dossier, ...conclusions: readonly string[]): readonly Fact[] {
  const { completed, conclusion } = d.working.github
  return completed !== null && conclusions.includes(conclusion ?? '') ? [completed] : []
}

export function reasonFact(d: Dossier, pattern: RegExp, message?: RegExp): readonly Fact[] {
  const { pod } = d
  if (pod === null || !pattern.test(pod.reason ?? '') || (message !== undefined && !message.test(pod.message ?? '')))
    return []
  return [
    fieldFact({
      is: 'pod-reason',
      source: PODS,
      at: d.ending.at,
      text: `the pod is ${pod.phase}, ${pod.reason}: ${pod.message ?? 'no message'}`,
    }),
  ]
}

const NODE_SHORT = /node was low on resource/i
const OWN_LIMIT =
  /exceeded its local ephemeral storage limit|ephemeral local storage usage exceeds|Usage of EmptyDir volume|exceeds the limit/i
const REJECTED = /node had condition/i

export type Evictions = {
  readonly node: readonly Fact[]
  readonly own: readonly Fact[]
  readonly rejected: readonly Fact[]
}

export function evictions(d: Dossier): Evictions {
  const marked = d.pod?.conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')
  const condition =
    marked !== undefined && NODE_SHORT.test(marked.message ?? '')
      ? [
          fieldFact({
            is: 'disruption',
            source: PODS,
            at: marked.since,
            text: `the pod is marked as disrupted: ${marked.message}`,
          }),
        ]
      : []
  return {
    node: [...reasonFact(d, /^Evicted$/, NODE_SHORT), ...condition, ...d.subjectClues('evicted-for-node')],
    own: [...reasonFact(d, /^Evicted$/, OWN_LIMIT), ...d.subjectClues('evicted-for-own-limit')],
    rejected: [
      ...reasonFact(d, /^(?:Evicted|UnexpectedAdmissionError)$/, REJECTED),
      ...d.subjectClues('rejected-for-node-condition'),
    ],
  }
}

const EVICTION_BLUR_MS = 5000

/** The runner had exited by itself before the kubelet evicted the pod. */
export function leftBeforeEviction(d: Dossier): readonly Fact[] {
  const times = anyEviction(d).flatMap(({ at, source }) => (source === PODS ? [] : (at ?? [])))
  const marked = d.pod?.conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')?.since
  const evictedAt = Math.min(...times, marked ?? Infinity)
  if (evictedAt === Infinity) return []
  return d.ending.facts.filter(
    ({ fields, at }) => fields['code'] === '0' && at !== null && at < evictedAt - EVICTION_BLUR_MS,
  )
}

/** The kubelet could not read how the container ended: it may have exited by itself before. */
export function limitedByUnknownState(d: Dossier): readonly Point[] {
  const isUnread = d.pod === null && d.stopping.stops.length === 0
  const isUnknown = isUnread || d.ending.facts.some(({ fields }) => fields['reason'] === 'ContainerStatusUnknown')
  const couldShow = d.log !== null || d.job !== null || d.wasLooking('journal') || d.stopping.stops.length > 0
  return limitedWhile(isUnknown && !couldShow, 'the runner may have exited before the eviction', {
    missing: ['logs', 'github/jobs', 'journal'],
    at: isUnread ? 0.3 : NAMED_ABOVE,
  })
}

export function anyEviction(d: Dossier): readonly Fact[] {
  const { node, own, rejected } = evictions(d)
  return [...node, ...own, ...rejected]
}

export function deadline(d: Dossier): readonly Fact[] {
  return [...reasonFact(d, /^DeadlineExceeded$/), ...d.subjectClues('pod-deadline')]
}

/** The object was removed while the container still ran. A source that saw a graceful delete refutes it. */
export function forcedRemovals(d: Dossier): readonly Removal[] {
  const alive = d.removals.filter(({ isAfterEnd }) => !isAfterEnd)
  const isOrdinary = alive.some(({ manner, fact }) => manner === 'ordinary' && fact.source !== PODS)
  return isOrdinary ? [] : alive.filter(({ manner }) => manner === 'forced')
}

export function reapings(d: Dossier): readonly Fact[] {
  return d.removals.filter(({ isAfterEnd }) => isAfterEnd).map(({ fact }) => fact)
}

/** SIGKILL, from every source that saw the code. */
export function sigkills(d: Dossier): readonly Fact[] {
  return [
    ...d.ending.facts.filter(
      ({ fields }) => fields['code'] === String(EXIT_CODES.killed) && fields['reason'] !== 'ContainerStatusUnknown',
    ),
    ...foldedBy(d, EXIT_CODES.killed, 'Killed'),
    ...d.subjectClues('worker-crashed').filter(({ fields }) => fields['code'] === String(EXIT_CODES.killed)),
  ]
}

/** A segmentation fault, an abort or a bus error, as exit code and as the shell of the runner prints it. */
const CRASHES: readonly (readonly [code: number, signal: string])[] = [
  [EXIT_CODES.crashed, 'Segmentation fault'],
  [EXIT_CODES.aborted, 'Aborted'],
  [EXIT_CODES.busError, 'Bus error'],
]

/** The runner's container ended by a crash. */
export function crashEnds(d: Dossier): readonly Fact[] {
  return d.ending.facts.filter(({ fields }) => CRASHES.some(([code]) => fields['code'] === String(code)))
}

export function foldedCrashes(d: Dossier): readonly Fact[] {
  return CRASHES.flatMap(([code, signal]) => foldedBy(d, code, signal))
}

export function foldedBy(d: Dossier, code: number, signal: string): readonly Fact[] {
  const { folded } = d.ending
  if (folded === null) return []
  return folded.fields['code'] === String(code) || folded.fields['signal'] === signal ? [folded] : []
}

export function wasOomKilled(d: Dossier): readonly Fact[] {
  return d.ending.facts.filter(({ fields }) => fields['reason'] === 'OOMKilled')
}

/** Log lines of the runner, not exit codes: a code can have other origins. */
export function loggedStopSigns(d: Dossier): readonly Fact[] {
  return d.stopping.stopSigns.filter(({ is }) => is !== 'container-state' && is !== 'container-exit')
}

/** A delete kills only a live runner: without a sign of life at that time it may have been clean-up. */
export function limitedByLife(d: Dossier): readonly Point[] {
  const isKnown = d.ending.at !== null || d.stopping.stops.length > 0 || d.log !== null
  return limitedWhile(!isKnown, 'it is not known whether it was alive when it was deleted', {
    missing: [PODS, 'journal', 'logs', 'kubernetes/events'],
    at: 0.3,
  })
}

/**
 * Only a working runner can be killed at work. Its log, GitHub and ARC show whether it had a job; if all of them
 * are blind, the cause stays a guess. A listener or a controller works while it runs.
 */
export function limitedByWork(d: Dossier): readonly Point[] {
  const { had, result, idle } = d.working
  if (d.kind !== 'runner') return []
  if (idle !== null && (d.subject.jobId === null || d.job !== null)) return contradicts(idle)
  if (had.length > 0 || result !== null) return []
  return limitedWhile(true, 'it is not known whether the runner had a job', { missing: ['logs', 'github/jobs'] })
}

/** Contradicts every death at work: the pod ended for its own reason, or the job was over. */
export function refutedByOtherEnds(d: Dossier): readonly Point[] {
  return [
    ...contradicts(workDone(d)),
    ...contradicts(anyEviction(d)),
    ...contradicts(deadline(d)),
    ...seemsToContradict(reapings(d)),
    ...limitedWhile(d.isAlive, 'the runner is still running', { at: 0 }),
  ]
}

/**
 * Something outside stopped it, so the cause is not inside. A delete counts here only if the time of the end is known:
 * otherwise it may have come after the end.
 */
export function refutedByStop(d: Dossier): readonly Point[] {
  const isTimed = d.ending.at !== null && !d.ending.isAtLeast
  const asked = [...d.stopping.requests.map(({ fact }) => fact), ...forcedRemovals(d).map(({ fact }) => fact)]
  return [...contradicts(d.stopping.stops), ...contradicts(isTimed ? asked : [])]
}

/** A container that never ran cannot have ended as a running one. */
export function limitedToStarted(d: Dossier): readonly Point[] {
  return limitedWhile(d.ran.length === 0, 'nothing shows that the runner ever started', { missing: [PODS, 'logs'] })
}
