import { none, seen } from '#/core/basics/observed.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { NO_FAILURES, NO_QUEUE } from '#/core/pools/reconcile/world.ts'
import type { PodNow, PoolNow, PoolQueue, PoolsWorld } from '#/core/pools/reconcile/world.ts'
import type { PoolSize } from '#/core/pools/runner-pool.ts'

export const NOW = 1_780_315_200_000
export const SCOPE = 'runners/linux'

export function poolNow({ size, ...change }: Partial<PoolNow> & { readonly size?: Partial<PoolSize> } = {}): PoolNow {
  const usual = declarePool('linux')
  return {
    scope: SCOPE,
    spec: { ...usual, size: { ...usual.size, ...size } },
    template: 'new',
    isDeleting: false,
    isHeld: true,
    hasFinalizer: true,
    reserved: 0,
    starts: NO_FAILURES,
    pace: { arrivalsPerSecond: 0, startP95Ms: null },
    peak: 0,
    ...change,
  }
}

let lastPod = 0

/** Idle for a minute. */
export function podNow(change: Partial<PodNow> = {}): PodNow {
  lastPod += 1
  const uid = `uid-${lastPod}`
  return {
    uid,
    namespace: 'runners',
    name: `linux-${lastPod}`,
    scope: SCOPE,
    node: 'n1',
    createdAt: NOW - 90_000,
    scheduledAt: NOW - 89_000,
    waitsSince: NOW - 60_000,
    template: 'new',
    life: 'waiting',
    isDeleting: false,
    isDrained: false,
    holdsEvidence: true,
    obstacle: null,
    slot: 'warm',
    hadRunner: true,
    isRecorded: false,
    ...change,
  }
}

export const startingPod = (change: Partial<PodNow> = {}): PodNow =>
  podNow({ life: 'starting', waitsSince: null, ...change })
export const busyPod = (change: Partial<PodNow> = {}): PodNow =>
  podNow({ life: 'running', waitsSince: null, slot: 'executing', ...change })

export function queueOf(change: Partial<PoolQueue>): PoolQueue {
  return { ...NO_QUEUE, ...change }
}

type Given = Omit<Partial<PoolsWorld>, 'pools' | 'pods' | 'queues'> & {
  readonly pools?: readonly PoolNow[]
  readonly pods?: readonly PodNow[]
  readonly queue?: Partial<PoolQueue>
}

export function worldOf({ pools = [poolNow()], pods = [], queue = {}, ...change }: Given = {}): PoolsWorld {
  return {
    pools: pools.length === 0 ? none() : seen(pools),
    pods: pods.length === 0 ? none() : seen(pods),
    queues: seen(new Map([[SCOPE, queueOf(queue)]])),
    nodes: seen([
      { name: 'n1', isReady: true, isLeaving: false },
      { name: 'n2', isReady: true, isLeaving: false },
    ]),
    limits: { startsPerNode: 4, creations: 50, retirements: 20, clearings: 50 },
    ...change,
  }
}
