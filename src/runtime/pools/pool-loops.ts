import type { LeaderLoop, Loop } from '#/runtime/lead/loop.ts'
import type { Wakeups } from '#/ports/store/wakeups.ts'
import { createBell } from './bell.ts'
import { keepSlots } from './keep-slots.ts'
import type { OwnPodWatch } from './own-pods.ts'
import type { PoolBook } from './pool-book.ts'
import { createPoolReconciler } from './reconcile-pools.ts'
import type { PoolsMeans } from './reconcile-pools.ts'
import type { WatchedObjects } from './watched-objects.ts'

type LoopsMeans = Omit<PoolsMeans, 'book' | 'ownPods' | 'nodes'> & {
  readonly book: PoolBook
  readonly ownPods: OwnPodWatch
  readonly nodes: WatchedObjects
  readonly wakeups: Wakeups
}

export type PoolLoops = {
  readonly leaderLoops: readonly LeaderLoop[]
  readonly replicaLoops: readonly Loop[]
}

const AFTER_FAULT_MS = 1000
/** Between two rounds that something rang for: a burst of changes is one round. */
const AT_LEAST_MS = 250
/** Without a ring: what nobody announces is found then. */
const SLOTS_EVERY_MS = 2000
const POOLS_EVERY_MS = 5000

/** Every replica watches pools and pods, because dispatch asks for them; the leader keeps slots and sizes. */
export function createPoolLoops(means: LoopsMeans): PoolLoops {
  const { book, ownPods, nodes, wakeups, clock } = means
  const reconciler = createPoolReconciler(means)
  const slotsBell = createBell(clock)
  const poolsBell = createBell(clock)
  const ring = (): void => {
    slotsBell.ring()
    poolsBell.ring()
  }
  ownPods.onChange(ring)
  book.onChange(poolsBell.ring)
  const settled = new Set<string>()
  const slots: LeaderLoop['run'] = async (signal) => {
    await keepSlots(means, settled, signal)
    await slotsBell.wait(SLOTS_EVERY_MS, signal)
  }
  const pools: LeaderLoop['run'] = async (signal, term) => {
    try {
      await reconciler.round(signal, term)
      await poolsBell.wait(POOLS_EVERY_MS, signal)
    } finally {
      if (signal.aborted) reconciler.forget()
    }
  }
  return {
    leaderLoops: [
      { name: 'slots', everyMs: AT_LEAST_MS, run: slots },
      { name: 'pools', everyMs: AT_LEAST_MS, run: pools },
      { name: 'pool nodes', everyMs: AFTER_FAULT_MS, run: (signal) => nodes.run(signal) },
      { name: 'pool wakeups', everyMs: AFTER_FAULT_MS, run: (signal) => listen(wakeups, poolsBell.ring, signal) },
    ],
    replicaLoops: [
      { name: 'own pods', everyMs: AFTER_FAULT_MS, run: (signal) => ownPods.run(signal) },
      { name: 'pool book', everyMs: AFTER_FAULT_MS, run: (signal) => book.run(signal) },
    ],
  }
}

/** A job that was queued makes a pool grow at once. */
async function listen(wakeups: Wakeups, ring: () => void, signal: AbortSignal): Promise<void> {
  const listening = await wakeups.listen(ring)
  try {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  } finally {
    await listening.stop()
  }
}
