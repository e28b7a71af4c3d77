import { orderFairly } from './fairness.ts'
import type { FairnessRules, HeldShare } from './fairness.ts'
import type { Job } from './job.ts'

/** One pool, as far as its waiting jobs depend on it. */
export type QueueOfPool = {
  readonly scope: string
  /** Its queued jobs. */
  readonly jobs: readonly Job[]
  readonly held: readonly HeldShare[]
  readonly rules: FairnessRules
  /** Under `organization` GitHub gives a runner any fitting job, in its own order. */
  readonly registration: 'repository' | 'organization'
  /** Pods that wait for a job now. */
  readonly idle: number
  /** Pods that do not wait yet: created, scheduled, pulling. */
  readonly starting: number
  /** Further pods that the maximum of the pool permits. */
  readonly room: number
  /** Open breakers that hold this pool back, in words. */
  readonly breakers: readonly string[]
}

/** Why a job has no pod yet. The order is that of the checks: the first that applies is shown. */
export type WaitReason = 'backoff' | 'breaker' | 'cap' | 'next' | 'starting' | 'pod' | 'full'

export type WaitingJob = {
  readonly job: Job
  /** Among the jobs of the pool that may have a pod now, 1 for the next; null for one that may not. */
  readonly place: number | null
  readonly waits: WaitReason
  /** One sentence for people. */
  readonly why: string
}

/** The jobs that are next come first, then those that are held back, the longest wait first. */
export function explainQueue(pool: QueueOfPool, now: number): readonly WaitingJob[] {
  const due = pool.jobs.filter((job) => dueAt(job) <= now)
  const later = pool.jobs.filter((job) => dueAt(job) > now)
  const { next, withheld } = orderFairly(due, pool.held, pool.rules)
  const waiting = next.map((job, index) => explainPlace(job, index + 1, pool))
  const capped = withheld.map(({ job, cap }): WaitingJob => ({
    job,
    place: null,
    waits: 'cap',
    why: `${cap.of} holds ${cap.most} of ${cap.most} slots: it waits until one of its jobs ends`,
  }))
  const paused = later.map((job): WaitingJob => ({
    job,
    place: null,
    waits: 'backoff',
    why: `it went back to the queue ${times(job.recoveries)}: next attempt in ${seconds(dueAt(job) - now)}`,
  }))
  return [...waiting, ...[...capped, ...paused].toSorted((a, b) => a.job.queuedAt - b.job.queuedAt)]
}

function dueAt(job: Job): number {
  return job.state === 'queued' ? job.notBefore : 0
}

function explainPlace(job: Job, place: number, pool: QueueOfPool): WaitingJob {
  const [breaker] = pool.breakers
  if (breaker !== undefined) return { job, place, waits: 'breaker', why: breaker }
  const waits = placeIn(place, pool)
  const who = pool.registration === 'organization' ? BY_GITHUB : ''
  return { job, place, waits, why: `${SENTENCES[waits]}${who}` }
}

function placeIn(place: number, { idle, starting, room }: QueueOfPool): keyof typeof SENTENCES {
  if (place <= idle) return 'next'
  if (place <= idle + starting) return 'starting'
  return place <= idle + starting + room ? 'pod' : 'full'
}

const SENTENCES = {
  next: 'a pod is ready, it is given the job now',
  starting: 'a pod is starting for it',
  pod: 'a pod is being created for it',
  full: 'the pool has its maximum of pods: it waits until a job ends',
} as const

const BY_GITHUB = '; GitHub decides which fitting job of the organisation a runner gets'

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`
}
