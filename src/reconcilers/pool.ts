import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { planPool } from '#/core/pools/reconcile/plan-pool.ts'
import type { PoolNeeds } from '#/core/pools/reconcile/plan-pool.ts'
import { leavingNodes } from '#/core/pools/reconcile/retirable.ts'
import { divideStarts, holdsStart } from '#/core/pools/reconcile/starts.ts'
import { NO_FAILURES, NO_QUEUE } from '#/core/pools/reconcile/world.ts'
import type { PodNow, PoolAction, PoolNow, PoolsDecision, PoolsWorld } from '#/core/pools/reconcile/world.ts'

/**
 * The pool reconciler. It compares the pools that are declared, their pods with their slots, the queue and the nodes, and
 * says what to make and what to remove. It owns no state: what it did not finish, it decides again.
 *
 * Stuck: a pool without the pods it should have; an idle pod that nobody needs, of a former template, on a node that leaves,
 *   or that never starts; a pod that has ended and stays; a deleted pool that waits for its pods.
 * Not caught elsewhere: the recovery loops look at slots and jobs that do not move. A pod that no job has is not stuck
 *   for them, and no job waits for it.
 * Proof: only a pod whose runner has not begun and whose slot is `warm` (or ended by us) is retired, and the act reads
 *   both again. A pod that has ended goes only when its death is stored. Blind pools, pods or store: nothing is done.
 * Threshold: size, idleTimeout, startTimeout and rollout of the pool; startsPerNode of the settings; caps per round.
 */
export function decidePools(world: PoolsWorld, now: number): PoolsDecision {
  const { pools, pods, queues, nodes, limits } = world
  for (const [what, observed] of Object.entries({ pools, pods, queues })) {
    if (observed.kind === 'blind') {
      return { actions: [], plans: [], blind: `${what} cannot be read: ${describeReason(observed.reason)}` }
    }
  }
  const declared = valueOf(pools, [])
  const present = valueOf(pods, [])
  const knownNodes = valueOf(nodes, [])
  const waiting = valueOf(queues, new Map())
  const byScope = Map.groupBy(present, ({ scope }) => scope)
  const leaving = leavingNodes(knownNodes)
  const all = [...declared, ...findOrphaned(declared, byScope)].toSorted((a, b) => (a.scope < b.scope ? -1 : 1))
  const needs = all.map((pool) =>
    planPool(pool, byScope.get(pool.scope) ?? [], { queue: waiting.get(pool.scope) ?? NO_QUEUE, leaving, now }),
  )
  const starting = new Map(
    all.map(({ scope, reserved }) => [scope, reserved + (byScope.get(scope) ?? []).filter(holdsStart).length]),
  )
  const given = divideStarts(new Map(needs.map(({ pool, creations }) => [pool.scope, creations])), {
    starting,
    nodes: knownNodes,
    limits,
  })
  const actions = [
    ...needs.flatMap(({ pool }) => finalize(pool, byScope.get(pool.scope) ?? [])),
    ...finish(present).slice(0, limits.clearings),
    ...inTurns(needs).slice(0, limits.retirements),
    ...[...given].flatMap(([scope, count]) => (count === 0 ? [] : [{ kind: 'create', scope, count } as const])),
  ]
  return { actions, plans: needs.map((own) => withWaits(own, given.get(own.pool.scope) ?? 0)), blind: null }
}

/** `none` is an answer: the source was observing. */
function valueOf<T>(observed: Observed<T>, otherwise: T): T {
  return observed.kind === 'seen' ? observed.value : otherwise
}

/** Pods of a pool that is gone, as after a deletion that did not wait for them: they drain. */
function findOrphaned(
  declared: readonly PoolNow[],
  byScope: ReadonlyMap<string, readonly PodNow[]>,
): readonly PoolNow[] {
  const known = new Set(declared.map(({ scope }) => scope))
  return [...byScope.keys()].flatMap((scope) => (known.has(scope) ? [] : [{ ...ORPHANED, scope }]))
}

const ORPHANED: Omit<PoolNow, 'scope'> = {
  spec: null,
  template: null,
  isDeleting: true,
  isHeld: true,
  hasFinalizer: false,
  reserved: 0,
  starts: NO_FAILURES,
  pace: { arrivalsPerSecond: 0, startP95Ms: null },
  peak: 0,
}

function finalize(pool: PoolNow, pods: readonly PodNow[]): readonly PoolAction[] {
  const { scope, isDeleting, isHeld, hasFinalizer, reserved } = pool
  if (!isDeleting) return isHeld ? [] : [{ kind: 'hold', scope }]
  return hasFinalizer && pods.length === 0 && reserved === 0 ? [{ kind: 'release', scope }] : []
}

function finish(pods: readonly PodNow[]): readonly PoolAction[] {
  return pods.flatMap(({ uid, scope, life, isDeleting, isRecorded, holdsEvidence }): readonly PoolAction[] => {
    if (!isRecorded) return []
    if (isDeleting) return holdsEvidence ? [{ kind: 'let-go', scope, uid }] : []
    return life === 'ended' ? [{ kind: 'clear', scope, uid }] : []
  })
}

/** One of each pool, then the second of each: a pool with many does not use up the cap of a round. */
function inTurns(needs: readonly PoolNeeds[]): readonly PoolAction[] {
  const longest = Math.max(0, ...needs.map(({ retire }) => retire.length))
  return Array.from({ length: longest }, (_, turn) =>
    needs.flatMap(({ retire }) => {
      const one = retire[turn]
      if (one === undefined) return []
      const { pod, reason, why } = one
      return [{ kind: 'retire', scope: pod.scope, uid: pod.uid, reason, why } as const]
    }),
  ).flat()
}

function withWaits({ plan, creations }: PoolNeeds, given: number) {
  const waits =
    plan.waits ?? (given < creations ? 'as many pods start now as its nodes and the other pools permit' : null)
  return { ...plan, waits }
}
