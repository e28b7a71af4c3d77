import { describeReason } from '#/core/basics/observed.ts'
import { explainQueue } from '#/core/dispatch/explain-queue.ts'
import type { QueueOfPool, WaitingJob } from '#/core/dispatch/explain-queue.ts'
import { NO_RULES } from '#/core/dispatch/fairness.ts'
import type { HeldShare } from '#/core/dispatch/fairness.ts'
import { isParked } from '#/core/dispatch/job.ts'
import type { Job, ReturnReason } from '#/core/dispatch/job.ts'
import { countPods } from '#/core/pools/reconcile/plan-pool.ts'
import { isIdle, isStarting } from '#/core/pools/reconcile/retirable.ts'
import type { PoolCounts, PodNow } from '#/core/pools/reconcile/world.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { breakerKey } from '#/runtime/dispatch/breaker-gate.ts'
import type { OpenBreaker } from '#/runtime/dispatch/breaker-gate.ts'
import type { DispatchNow, PoolView } from './observe-dispatch.ts'
import { createStops, jobBreakers } from '#/runtime/dispatch/stops.ts'

/** The queue of one pool. */
export type ShownQueue = {
  readonly scope: string
  readonly spec: RunnerPool | null
  /** Why nobody matches its jobs; null for a pool that is usable. */
  readonly unusable: string | null
  readonly counts: PoolCounts
  /** Further pods that its maximum permits. */
  readonly room: number
  /** All of its waiting jobs. */
  readonly waiting: readonly WaitingJob[]
}

/** Their history is read one by one. */
const MOST_PARKED_READ = 50

export async function showQueue(
  view: PoolView,
  now: DispatchNow,
  assignments: Pick<Assignments, 'history'>,
): Promise<ShownQueue> {
  const { scope, queued, pods } = view
  const spec = specOf(view)
  const counts = countReplicas(view)
  const places = counts.starting + counts.idle + counts.busy + (pods ?? []).filter(isGoing).length
  const room = spec === null ? 0 : Math.max(0, spec.size.max - places)
  const unusable = describeUnusable(view, now)
  const queue: QueueOfPool = {
    scope,
    jobs: queued,
    held: countHeld(view.underWay),
    rules: spec?.fairness ?? NO_RULES,
    registration: spec?.github.scope ?? 'repository',
    idle: countReady(view, now.open),
    starting: counts.starting,
    room,
    stopped: spec === null ? new Map() : findStopped(queued, spec.github.credential, now),
    obstacle: (pods ?? []).find((pod) => isIdle(pod) && isStarting(pod) && pod.obstacle !== null)?.obstacle ?? null,
    returned: await readReturns(queued, assignments),
    unusable,
  }
  return { scope, spec, unusable, counts, room, waiting: explainQueue(queue, now.now) }
}

export function specOf({ declared }: PoolView): RunnerPool | null {
  return declared?.reading.kind === 'valid' ? declared.reading.pool : null
}

/** Without a watch of the pods their slots say it: nobody knows then which of the warm ones are still starting. */
export function countReplicas({ pods, slots }: PoolView): PoolCounts {
  if (pods !== null) return countPods(pods)
  const idle = slots.filter(({ state }) => state === 'warm').length
  return { starting: 0, idle, busy: slots.length - idle, terminating: 0 }
}

/** It is leaving, and still uses its place. */
function isGoing({ isDeleting, life }: PodNow): boolean {
  return isDeleting && life !== 'ended'
}

/** Pods that would get a job now: not those that are drained, and none on a node that a breaker stops. */
function countReady({ pods, slots }: PoolView, open: readonly OpenBreaker[]): number {
  const stopped = new Set(open.flatMap(({ key, mayTry }) => (mayTry === true ? [] : [key])))
  const isSound = (node: string | null): boolean => node === null || !stopped.has(breakerKey.node(node))
  if (pods === null) return slots.filter(({ state, node }) => state === 'warm' && isSound(node)).length
  return pods.filter((pod) => isIdle(pod) && !isStarting(pod) && !pod.isDrained && isSound(pod.node)).length
}

function describeUnusable({ scope, declared, queued }: PoolView, now: DispatchNow): string | null {
  if (now.declared.kind === 'blind') return `the pools are not known now: ${describeReason(now.declared.reason)}`
  if (declared === null) return queued.length === 0 ? null : `no pool ${scope} is declared any more`
  if (declared.isDeleting) return `the pool ${scope} is being deleted`
  if (declared.reading.kind === 'valid') return null
  const [first] = declared.reading.problems
  return `the pool ${scope} has mistakes: ${first?.path ?? 'spec'} ${first?.why ?? 'is wrong'}`
}

function countHeld(jobs: readonly Job[]): readonly HeldShare[] {
  const byRepository = Map.groupBy(jobs, ({ repository }) => repository)
  return [...byRepository].map(([repository, own]) => ({ repository, slots: own.length }))
}

/** As a round of matching leaves them out. */
function findStopped(queued: readonly Job[], credential: string, { open, now }: DispatchNow): Map<number, string> {
  const stops = createStops(open)
  const due = queued.filter((job) => job.state === 'queued' && job.notBefore <= now)
  const stopped = new Map<number, string>()
  if (open.length === 0) return stopped
  for (const job of due) {
    const breaker = stops(jobBreakers(job, credential))
    if (breaker !== null) stopped.set(job.id, describeStop(breaker, now))
  }
  return stopped
}

function describeStop({ key, why, until, mayTry }: OpenBreaker, now: number): string {
  const next =
    mayTry === true
      ? 'another job is the one attempt that decides'
      : `next attempt in ${Math.max(0, Math.ceil((until - now) / 1000))} s`
  return `${key} keeps failing (${why}): ${next}`
}

async function readReturns(
  queued: readonly Job[],
  assignments: Pick<Assignments, 'history'>,
): Promise<ReadonlyMap<number, ReturnReason>> {
  const returned = new Map<number, ReturnReason>()
  for (const { id } of queued.filter(isParked).slice(0, MOST_PARKED_READ)) {
    const last = (await assignments.history(id)).findLast(({ event }) => event.kind === 'returned')
    if (last?.event.kind === 'returned') returned.set(id, last.event.reason)
  }
  return returned
}
