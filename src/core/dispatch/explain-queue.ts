import { orderFairly } from './fairness.ts'
import type { FairnessRules, HeldShare, Withheld } from './fairness.ts'
import { isParked } from './job.ts'
import type { Job, ReturnReason } from './job.ts'

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
  /** What open breakers stop now, in words, by the id of the job. */
  readonly stopped: ReadonlyMap<number, string>
  /** What keeps pods of the pool from starting, as the scheduler or the kubelet says it; null where nothing does. */
  readonly obstacle: string | null
  /** Why parked jobs came back last, by the id of the job. */
  readonly returned: ReadonlyMap<number, ReturnReason>
  /** Why nobody matches its jobs, such as a spec with mistakes; null for a pool that is usable. */
  readonly unusable: string | null
}

/** Why a job has no pod yet. The order is that of the checks: the first that applies is shown. */
export const WAIT_REASONS = [
  'parked',
  'no-pool',
  'backoff',
  'breaker',
  'cap',
  'next',
  'starting',
  'pod',
  'full',
] as const
export type WaitReason = (typeof WAIT_REASONS)[number]

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
  const held: WaitingJob[] = []
  const ready: Job[] = []
  for (const job of pool.jobs) {
    const without = explainWithheld(job, pool, now)
    if (without === null) ready.push(job)
    else held.push(without)
  }
  const { next, withheld } = orderFairly(ready, pool.held, pool.rules)
  const waiting = next.map((job, index) => explainPlace(job, index + 1, pool))
  const capped = withheld.map(({ job, cap }) => withoutPlace(job, 'cap', describeCap(cap)))
  return [...waiting, ...[...capped, ...held].toSorted((a, b) => a.job.queuedAt - b.job.queuedAt)]
}

/** Null for a job that may have a pod now, as far as its cap permits. */
function explainWithheld(job: Job, { returned, unusable, stopped }: QueueOfPool, now: number): WaitingJob | null {
  if (isParked(job)) return withoutPlace(job, 'parked', describeParked(job, returned.get(job.id)))
  if (unusable !== null) return withoutPlace(job, 'no-pool', unusable)
  const due = dueAt(job)
  if (due > now) {
    const why = `it went back to the queue ${times(job.recoveries)}: next attempt in ${seconds(due - now)}`
    return withoutPlace(job, 'backoff', why)
  }
  const stop = stopped.get(job.id)
  return stop === undefined ? null : withoutPlace(job, 'breaker', stop)
}

function withoutPlace(job: Job, waits: WaitReason, why: string): WaitingJob {
  return { job, place: null, waits, why }
}

function describeParked({ id, recoveries }: Job, last: ReturnReason | undefined): string {
  const reason = last === undefined ? '' : `, the last time ${RETURNED[last]}`
  return `parked: it went back to the queue ${times(recoveries)}${reason}; put it back: signalbox jobs retry ${id}`
}

/** After "it went back to the queue, ". */
export const RETURNED: Readonly<Record<ReturnReason, string>> = {
  'claim-stale': 'because its claim led to no runner',
  'mint-failed': 'because GitHub registered no runner',
  'never-registered': 'because its runner never took it',
  'slot-lost': 'because its pod was taken away',
  displaced: 'because its runner got another job',
  'by-hand': 'because somebody returned it',
}

/** A cap of 0 lets nothing through, ever. */
function describeCap({ of, most }: Withheld['cap']): string {
  if (most === 0) return `the cap of ${of} is 0: it waits until the pool declares another one`
  return `${of} holds ${most} of ${most} slots: it waits until one of its jobs ends`
}

function dueAt(job: Job): number {
  return job.state === 'queued' ? job.notBefore : 0
}

function explainPlace(job: Job, place: number, pool: QueueOfPool): WaitingJob {
  const waits = placeIn(place, pool)
  const hindered = (waits === 'starting' || waits === 'pod') && pool.obstacle !== null
  const obstacle = hindered ? `; pods of this pool do not start: ${pool.obstacle}` : ''
  const who = pool.registration === 'organization' ? BY_GITHUB : ''
  return { job, place, waits, why: `${SENTENCES[waits]}${obstacle}${who}` }
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
