import { seen } from '#/core/basics/observed.ts'
import type { PodNow, PoolAction, PoolNow, PoolQueue } from '#/core/pools/reconcile/world.ts'
import { decidePools } from '#/reconcilers/pool.ts'
import { NOW, podNow, queueOf, SCOPE, startingPod, worldOf } from './pool-world.ts'

const STEP_MS = 60_000
/** In steps: a pod waits for its first job so long after it was made. */
const START_STEPS = 2

/** A cluster that does what it is asked for, a step later. Nobody takes a job, and nobody ends one. */
export class SimulatedPool {
  #now = NOW
  #pods: readonly PodNow[]
  readonly #pool: PoolNow
  readonly #queue: PoolQueue
  #desired: { readonly at: number; readonly size: number }[] = []

  constructor(pool: PoolNow, pods: readonly PodNow[], queue: Partial<PoolQueue>) {
    this.#pool = pool
    this.#pods = pods
    this.#queue = queueOf(queue)
  }

  get pods(): readonly PodNow[] {
    return this.#pods
  }

  /** Of the one pool. */
  get desired(): number {
    return this.#desired.at(-1)?.size ?? 0
  }

  step(): readonly PoolAction[] {
    const idleTimeoutMs = this.#pool.spec?.size.idleTimeoutMs ?? 0
    const lately = this.#desired.filter(({ at }) => this.#now - at < idleTimeoutMs)
    const peak = Math.max(0, ...lately.map(({ size }) => size))
    const world = worldOf({ pools: [{ ...this.#pool, peak }], pods: this.#pods, queue: this.#queue })
    const { actions, plans } = decidePools({ ...world, queues: seen(new Map([[SCOPE, this.#queue]])) }, this.#now)
    this.#desired.push({ at: this.#now, size: plans.find(({ scope }) => scope === SCOPE)?.desired ?? 0 })
    const removed = new Set(actions.flatMap((action) => ('uid' in action ? [action.uid] : [])))
    const made = actions.flatMap((action) =>
      action.kind === 'create' ? Array.from({ length: action.count }, () => this.#make()) : [],
    )
    this.#now += STEP_MS
    this.#pods = [...this.#pods.filter(({ uid }) => !removed.has(uid)).map((pod) => this.#age(pod)), ...made]
    return actions
  }

  #make(): PodNow {
    return startingPod({ createdAt: this.#now, scheduledAt: this.#now })
  }

  #age(pod: PodNow): PodNow {
    if (pod.life !== 'starting' || this.#now - pod.createdAt < START_STEPS * STEP_MS) return pod
    return podNow({ ...pod, life: 'waiting', waitsSince: this.#now })
  }
}
