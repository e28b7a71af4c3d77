import { printAge } from '#/core/basics/age.ts'
import { desiredSize } from '#/core/pools/desired-size.ts'
import type { RunnerPool, Share } from '#/core/pools/runner-pool.ts'
import { byUse, idleSince, isFormer, isIdle, isLeftOver, isStarting, mustGo } from './retirable.ts'
import type { Retirement } from './retirable.ts'
import { judgeStarts } from './starts.ts'
import type { PodNow, PoolCounts, PoolNow, PoolPlan, PoolQueue } from './world.ts'

/** What one pool needs, before what all pools share is divided. */
export type PoolNeeds = {
  readonly pool: PoolNow
  readonly retire: readonly Retirement[]
  /** Pods that it lacks, of which its own starts permit this many. */
  readonly creations: number
  readonly plan: PoolPlan
}

type Around = { readonly queue: PoolQueue; readonly leaving: ReadonlySet<string>; readonly now: number }

export function planPool(pool: PoolNow, pods: readonly PodNow[], around: Around): PoolNeeds {
  const counts = countPods(pods)
  const plan = { scope: pool.scope, desired: 0, counts, queue: around.queue, waits: null, degraded: null }
  const leftOver = pods.filter(isLeftOver).map((pod) => gone(pod, 'slot-ended', 'its slot has ended'))
  if (pool.isDeleting) {
    const idle = pods.filter(isIdle).map((pod) => gone(pod, 'pool-deleted', 'its pool is being deleted'))
    return { pool, retire: [...leftOver, ...idle], creations: 0, plan }
  }
  // What it should be is not known, so what it has stays.
  if (pool.spec === null) return { pool, retire: leftOver, creations: 0, plan }
  const needs = planSize(pool, pool.spec, { ...around, pods })
  return { ...needs, retire: [...leftOver, ...needs.retire] }
}

function planSize(
  pool: PoolNow,
  spec: RunnerPool,
  { pods, queue, leaving, now }: Around & { readonly pods: readonly PodNow[] },
): PoolNeeds {
  const { scope, template, pace, peak, reserved } = pool
  const standing = pods.filter((pod) => pod.life !== 'ended' && pod.life !== 'failing' && !pod.isDeleting)
  const idle = standing.filter(isIdle)
  const busy = standing.filter((pod) => !isIdle(pod) && !isLeftOver(pod)).length
  const forced = idle.flatMap((pod) => mustGo(pod, { spec, leaving, now }) ?? [])
  const stays = without(idle, forced).toSorted(byUse(template))
  const desired = desiredSize(spec.size, { dispatchable: queue.dispatchable, busy, ...pace })
  const have = busy + stays.length + reserved
  const former = stays.filter((pod) => isFormer(pod, template))
  const budget = toCount(spec.rollout.maxUnavailable, desired)
  const surge = Math.min(budget, former.length, spec.size.max - desired)
  // A pod that is leaving still uses its place.
  const places = spec.size.max - pods.filter(({ life }) => life !== 'ended').length - reserved
  const lacking = Math.max(0, Math.min(desired + surge - have, places))
  const keep = Math.max(desired + surge, Math.min(peak, spec.size.max))
  const above = shrink(stays, { have, most: spec.size.max, keep, idleTimeoutMs: spec.size.idleTimeoutMs, now })
  const left = without(stays, above)
  const rolled = roll(left, { template, budget, desired, busy, mayExceed: surge > 0 })
  const starts = judgeStarts(pool.starts, { starting: standing.filter(isStarting).length + reserved, now })
  const creations = pool.isHeld ? Math.min(lacking, starts.most) : 0
  const waits = lacking > creations ? (starts.why ?? 'the pool is not held by its finalizer yet') : null
  const plan = { scope, desired, counts: countPods(pods), queue, waits, degraded: starts.degraded }
  return { pool, retire: [...forced, ...above, ...rolled], creations, plan }
}

type Shrinking = {
  readonly have: number
  readonly most: number
  readonly keep: number
  readonly idleTimeoutMs: number
  readonly now: number
}

function shrink(stays: readonly PodNow[], { have, most, keep, idleTimeoutMs, now }: Shrinking): readonly Retirement[] {
  const tooMany = stays
    .slice(0, Math.max(0, have - most))
    .map((pod) => gone(pod, 'above-maximum', `the pool may have ${most} pods and has ${have}`))
  const surplus = Math.max(0, have - tooMany.length - keep)
  const unused = without(stays, tooMany).filter((pod) => now - idleSince(pod) >= idleTimeoutMs)
  const idle = unused
    .slice(0, surplus)
    .map((pod) => gone(pod, 'surplus', `idle for ${printAge(idleSince(pod), now)}, and the pool needs ${keep} pods`))
  return [...tooMany, ...idle]
}

type Rolling = {
  readonly template: string | null
  readonly budget: number
  readonly desired: number
  readonly busy: number
  /** There is room for replacements beside what is there. */
  readonly mayExceed: boolean
}

/**
 * A pod that waits goes only when others can take the jobs: the replacement is there first. Without room for one, as many
 * may be missing as the rollout permits.
 */
function roll(
  stays: readonly PodNow[],
  { template, budget, desired, busy, mayExceed }: Rolling,
): readonly Retirement[] {
  const former = stays.filter((pod) => isFormer(pod, template))
  const waiting = stays.filter(({ life }) => life === 'waiting').length
  const spare = waiting - Math.max(0, desired - busy)
  const may = Math.max(0, Math.min(budget, mayExceed ? spare : spare + budget))
  const ofUse = former.filter(({ life }) => life === 'waiting').slice(0, may)
  const ofNone = former.filter(({ life }) => life !== 'waiting').slice(0, Math.max(0, budget - ofUse.length))
  return [...ofUse, ...ofNone].map((pod) => gone(pod, 'former-template', 'the template of its pool has changed'))
}

function gone(pod: PodNow, reason: Retirement['reason'], why: string): Retirement {
  return { pod, reason, why }
}

function without(pods: readonly PodNow[], retired: readonly Retirement[]): readonly PodNow[] {
  const uids = new Set(retired.map(({ pod }) => pod.uid))
  return pods.filter(({ uid }) => !uids.has(uid))
}

/** At least one, or a rollout would never end. */
export function toCount({ kind, value }: Share, of: number): number {
  return kind === 'count' ? value : Math.max(1, Math.floor((of * value) / 100))
}

export function countPods(pods: readonly PodNow[]): PoolCounts {
  const counts = { starting: 0, idle: 0, busy: 0, terminating: 0 }
  for (const pod of pods) counts[toState(pod)] += 1
  return counts
}

function toState(pod: PodNow): keyof PoolCounts {
  if (pod.isDeleting || pod.life === 'ended' || pod.life === 'failing' || isLeftOver(pod)) return 'terminating'
  if (!isIdle(pod)) return 'busy'
  return isStarting(pod) ? 'starting' : 'idle'
}
