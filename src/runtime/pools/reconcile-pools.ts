import { observeSize } from '#/core/pools/reconcile/start-history.ts'
import type { PodNow, PoolAction, PoolsDecision } from '#/core/pools/reconcile/world.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import type { ServedTerm } from '#/runtime/lead/loop.ts'
import { decidePools } from '#/reconcilers/pool.ts'
import { carryOutAction } from './carry-out-pools.ts'
import type { CarryOutMeans, Known } from './carry-out-pools.ts'
import { PoolMemory } from './memory.ts'
import { observePools } from './observe-pools.ts'
import type { Observation, ObservePoolsMeans } from './observe-pools.ts'
import { poolMetrics } from './pool-metrics.ts'
import type { DeclaredPool } from './pool-book.ts'
import { createStatusWriter } from './write-status.ts'

export type PoolsMeans = Omit<CarryOutMeans, 'deaths' | 'assignments' | 'ownPods'> &
  ObservePoolsMeans &
  Pick<CarryOutMeans, 'deaths' | 'assignments' | 'ownPods'> & { readonly metrics: Metrics }

export type PoolReconciler = {
  /** Observes, decides and acts once. */
  readonly round: (signal: AbortSignal, term: ServedTerm) => Promise<PoolsDecision>
  /** Another replica leads: what is remembered is of yesterday. */
  readonly forget: () => void
}

const ABANDONED_MS = 120_000
/** Each is a handful of requests. */
const AT_ONCE = 8

export function createPoolReconciler(means: PoolsMeans): PoolReconciler {
  const { clock, log, limits } = means
  const metrics = poolMetrics(means.metrics)
  let memory = new PoolMemory()
  let status = createStatusWriter(means)
  let lastBlind: string | null = null
  let rounds = 0
  const round: PoolReconciler['round'] = async (signal, term) => {
    const observation = await observePools(means, memory)
    const now = clock.now()
    const decision = decidePools(observation.world, now)
    if (decision.blind !== lastBlind) {
      if (decision.blind === null) log.info('pools are reconciled again')
      else log.warn('pools are not reconciled', { why: decision.blind })
      lastBlind = decision.blind
    }
    metrics.show(decision.plans, now)
    if (decision.blind !== null) return decision
    const known = toKnown(observation, means.book.declared())
    rememberSizes(memory, decision, known, now)
    rounds += 1
    const epoch = term.epoch()
    const warrant = {
      actor: 'signalbox/pools',
      run: `pools-${epoch}-${now}-${rounds}`,
      epoch,
      cap: { run: limits.retirements + limits.clearings * 2, set: null },
      abandonedAfterMs: ABANDONED_MS,
    }
    const due = decision.actions.filter((action) => memory.mayTry(keyOf(action), now))
    await inParallel(due, AT_ONCE, async (action) => {
      if (signal.aborted) return 'stop'
      const result = await carryOutAction(means, action, { known, memory, warrant, signal })
      // What was done may not be seen yet.
      if (action.kind !== 'create') memory.tried(keyOf(action), clock.now())
      return result === 'fenced' ? 'stop' : 'go-on'
    })
    await status.write(decision.plans, known.pools, signal)
    return decision
  }
  const forget = (): void => {
    memory = new PoolMemory()
    status = createStatusWriter(means)
    metrics.show([], clock.now())
  }
  return { round, forget }
}

function keyOf(action: PoolAction): string {
  return 'uid' in action ? `${action.kind} ${action.uid}` : `${action.kind} ${action.scope}`
}

function toKnown({ world, objects }: Observation, declared: ReturnType<PoolsMeans['book']['declared']>): Known {
  const pools: readonly DeclaredPool[] = declared.kind === 'seen' ? declared.value : []
  const pods: readonly PodNow[] = world.pods.kind === 'seen' ? world.pods.value : []
  return {
    objects,
    pools: new Map(pools.map((pool) => [pool.scope, pool])),
    pods: new Map(pods.map((pod) => [pod.uid, pod])),
  }
}

function rememberSizes(memory: PoolMemory, { plans }: PoolsDecision, { pools }: Known, now: number): void {
  for (const { scope, desired } of plans) {
    const reading = pools.get(scope)?.reading
    if (reading?.kind !== 'valid') continue
    const keepMs = reading.pool.size.idleTimeoutMs
    memory.remember(scope, observeSize(memory.history(scope), desired, { keepMs, now }))
  }
}

async function inParallel<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<'go-on' | 'stop'>,
): Promise<void> {
  const waiting = [...items]
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      if ((await work(item)) === 'stop') waiting.length = 0
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, waiting.length) }, worker))
}
