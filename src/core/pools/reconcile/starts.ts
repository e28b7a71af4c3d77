import { backoffMs } from '#/core/basics/backoff.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { isUnschedulable } from './pool-pod.ts'
import { isStarting } from './retirable.ts'
import type { NodeNow, PodNow, PoolLimits, StartRecord } from './world.ts'

/** Fewer than this many failures in a row are an accident of a node or a pull. */
const REPEATED = 3
const WAIT = { firstMs: 10_000, mostMs: 300_000 }

/**
 * A pool whose pods fail to start, one after the other, tries one at a time and less and less often. What keeps them from
 * starting keeps the next ones too, and each costs a node a pull or a sandbox.
 */
export function judgeStarts(
  { failures, lastAt, why }: StartRecord,
  { starting, now }: { readonly starting: number; readonly now: number },
): { readonly most: number; readonly why: string | null; readonly degraded: string | null } {
  if (failures < REPEATED || lastAt === null) return { most: Number.POSITIVE_INFINITY, why: null, degraded: null }
  const waitMs = backoffMs(WAIT, failures - REPEATED)
  const degraded = `${failures} pods in a row did not start; the last one: ${why ?? 'no reason is known'}`
  if (now - lastAt < waitMs)
    return { most: 0, why: `the next try is ${formatDuration(waitMs)} after the last`, degraded }
  return { most: Math.max(0, 1 - starting), why: 'one pod is tried at a time', degraded }
}

/** A quarter stays for the other pools, so that one whose pods start slowly does not keep them all waiting. */
const LARGEST_PART = 0.75

/** How many pods each pool may make now, one for each in turn. */
export function divideStarts(
  wanted: ReadonlyMap<string, number>,
  { starting, nodes, limits }: StartsNow,
): ReadonlyMap<string, number> {
  const total =
    limits.startsPerNode * Math.max(1, nodes.filter(({ isReady, isLeaving }) => isReady && !isLeaving).length)
  const used = [...starting.values()].reduce((sum, count) => sum + count, 0)
  const most = starting.size > 1 ? Math.max(1, Math.floor(total * LARGEST_PART)) : total
  let free = Math.min(Math.max(0, total - used), limits.creations)
  const given = new Map([...wanted.keys()].map((scope) => [scope, 0]))
  for (let isMoving = true; isMoving && free > 0;) {
    isMoving = false
    for (const [scope, count] of wanted) {
      const own = given.get(scope) ?? 0
      if (free === 0 || own >= count || own + (starting.get(scope) ?? 0) >= most) continue
      given.set(scope, own + 1)
      free -= 1
      isMoving = true
    }
  }
  return given
}

export type StartsNow = {
  /** Of each pool that is declared, 0 included. */
  readonly starting: ReadonlyMap<string, number>
  readonly nodes: readonly NodeNow[]
  readonly limits: Pick<PoolLimits, 'startsPerNode' | 'creations'>
}

/** What no node has room for holds no place: a shape that fits nowhere would stop every other pool. */
export function holdsStart(pod: PodNow): boolean {
  return isStarting(pod) && !pod.isDeleting && !isUnschedulable(pod)
}
