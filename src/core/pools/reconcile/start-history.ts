import { isStarting } from './retirable.ts'
import { NO_FAILURES } from './world.ts'
import type { PodNow, PoolNow, StartRecord } from './world.ts'

/** What a replica remembers of a pool while it leads. A new leader begins without it, and learns it again. */
export type PoolHistory = {
  readonly starts: StartRecord
  /** Of the last pods that came to wait for a job. */
  readonly startTimesMs: readonly number[]
  /** When the jobs that were seen lately were queued, by their id. */
  readonly arrivals: ReadonlyMap<number, number>
  /** What it should have had, lately. */
  readonly sizes: readonly { readonly at: number; readonly size: number }[]
  /** Pods whose start, or its failure, was counted. */
  readonly counted: ReadonlySet<string>
  readonly timed: ReadonlySet<string>
}

export const NO_HISTORY: PoolHistory = {
  starts: NO_FAILURES,
  startTimesMs: [],
  arrivals: new Map(),
  sizes: [],
  counted: new Set(),
  timed: new Set(),
}

const MOST_TIMES = 50
/** A pod that waited so long did start. One whose poller fails at once did not. */
const STARTED_MS = 60_000
const ARRIVALS_MS = 300_000

/** What the pods of now show. `retired`: those that we ended ourselves. */
export function observePods(
  history: PoolHistory,
  pods: readonly PodNow[],
  { retired, now }: { readonly retired: ReadonlySet<string>; readonly now: number },
): PoolHistory {
  const uids = new Set(pods.map(({ uid }) => uid))
  const counted = new Set([...history.counted].filter((uid) => uids.has(uid)))
  const timed = new Set([...history.timed].filter((uid) => uids.has(uid)))
  const times = [...history.startTimesMs]
  let { starts } = history
  for (const pod of pods) {
    if (pod.waitsSince !== null && !timed.has(pod.uid)) {
      timed.add(pod.uid)
      times.push(Math.max(0, pod.waitsSince - pod.createdAt))
    }
    if (counted.has(pod.uid)) continue
    const outcome = judgeStart(pod, retired, now)
    if (outcome === 'open') continue
    counted.add(pod.uid)
    if (outcome === 'failed') starts = countFailure(starts, pod.obstacle ?? 'it ended without a job', now)
    if (outcome === 'started' && pod.createdAt >= (starts.lastAt ?? 0)) starts = NO_FAILURES
  }
  return { ...history, starts, counted, timed, startTimesMs: times.slice(-MOST_TIMES) }
}

function judgeStart(pod: PodNow, retired: ReadonlySet<string>, now: number): 'open' | 'started' | 'failed' | 'none' {
  if (pod.life === 'running') return 'started'
  if (pod.life === 'waiting') return now - (pod.waitsSince ?? now) >= STARTED_MS ? 'started' : 'open'
  if (isStarting(pod)) return 'open'
  // Somebody took it away, or its runner has worked: neither says how a start goes.
  if (retired.has(pod.uid) || pod.isDeleting || pod.isDrained) return 'none'
  return pod.obstacle !== null || !pod.hadRunner ? 'failed' : 'none'
}

export function countFailure({ failures }: StartRecord, why: string, now: number): StartRecord {
  return { failures: failures + 1, lastAt: now, why }
}

/** `queuedAt` by the id of the job, of those that wait or are under way. */
export function observeJobs(history: PoolHistory, jobs: ReadonlyMap<number, number>, now: number): PoolHistory {
  const arrivals = new Map([...history.arrivals, ...jobs])
  for (const [id, at] of arrivals) if (now - at > ARRIVALS_MS) arrivals.delete(id)
  return { ...history, arrivals }
}

export function observeSize(history: PoolHistory, size: number, { keepMs, now }: Window): PoolHistory {
  const sizes = history.sizes.filter(({ at }) => now - at < keepMs)
  // It had this size until now: an earlier time of the same size says nothing more.
  const before = sizes.at(-1)?.size === size ? sizes.slice(0, -1) : sizes
  return { ...history, sizes: [...before, { at: now, size }] }
}

export function paceOf({ arrivals, startTimesMs }: PoolHistory): PoolNow['pace'] {
  const sorted = startTimesMs.toSorted((a, b) => a - b)
  return {
    arrivalsPerSecond: (arrivals.size * 1000) / ARRIVALS_MS,
    startP95Ms: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? null,
  }
}

/** The most it should have had within `keepMs`. */
export function peakOf({ sizes }: PoolHistory, { keepMs, now }: Window): number {
  return sizes.reduce((most, { at, size }) => (now - at < keepMs ? Math.max(most, size) : most), 0)
}

type Window = { readonly keepMs: number; readonly now: number }
