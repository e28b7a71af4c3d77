import { randomBytes } from 'node:crypto'
import type { DispatchConfig } from '#/config/config.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { OwnPods, Pools } from '#/ports/pools.ts'
import type { Store } from '#/ports/store/store.ts'
import { DISPATCH_REASONS } from '#/runtime/dispatch/answer.ts'
import type { BreakerGate } from '#/runtime/dispatch/breaker-gate.ts'
import { createDispatch } from '#/runtime/dispatch/dispatch.ts'
import type { Dispatch } from '#/runtime/dispatch/dispatch.ts'
import { measurePickup } from '#/runtime/dispatch/measure-pickup.ts'
import { createRunnerGroups } from '#/runtime/dispatch/runner-groups.ts'
import { createTokenReviews } from '#/runtime/dispatch/token-reviews.ts'
import { dispatchApi } from '#/server/dispatch.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

export type DispatchEndpointPart = Part & {
  /** A job of this scope was queued by this process: its pods look at once, before the database says so. */
  readonly wake: (scope: string) => void
}

type Means = Omit<PartMeans, 'config'> & {
  readonly dispatch: DispatchConfig
  readonly store: Pick<Store, 'assignments' | 'wakeups'>
  readonly kubernetes: Pick<Kubernetes, 'reviewToken' | 'patch'>
  readonly github: { readonly runners: Pick<GitHub['runners'], 'mint' | 'groups'> }
  readonly pools: Pools
  readonly ownPods: OwnPods
  readonly breakers: BreakerGate
  readonly templateOf: (pool: RunnerPool) => string
}

const AFTER_FAULT_MS = 1000
const SHOW_EVERY_MS = 1000
const MARK_BYTES = 4

/** `/v1/dispatch`: pods wait here, and get the runner for their job. */
export function openDispatchEndpoint(means: Means): DispatchEndpointPart {
  const { dispatch: config, store, metrics, clock, kubernetes, ownPods } = means
  const dispatch = createDispatch({
    ...means,
    assignments: store.assignments,
    reviews: createTokenReviews({ kubernetes, ownPods, clock }),
    groups: createRunnerGroups(means),
    mark: () => randomBytes(MARK_BYTES).toString('hex'),
    mintWithinMs: config.mintWithinMs,
    handedOut: measurePickup({ assignments: store.assignments, clock, metrics }),
  })
  const answers = metrics.counter('signalbox_dispatch_responses_total', 'Answers to pods that asked for a job.')
  for (const reason of ['job', 'no-job', ...DISPATCH_REASONS]) answers.add(0, { reason })
  const handler = dispatchApi({ ask: dispatch.ask, answered: (reason) => answers.add(1, { reason }) })
  return {
    wake: dispatch.wake,
    routes: [{ path: '/v1/dispatch', handler }],
    replicaLoops: [
      { name: 'dispatch', everyMs: AFTER_FAULT_MS, run: (signal) => keepMatching(dispatch, store, signal) },
      { name: 'dispatch waiting', everyMs: SHOW_EVERY_MS, run: showWaiting(dispatch, metrics) },
    ],
    dispose: nothingToDispose,
  }
}

async function keepMatching(dispatch: Dispatch, { wakeups }: Pick<Store, 'wakeups'>, signal: AbortSignal) {
  const listening = await wakeups.listen(dispatch.wake)
  try {
    await dispatch.run(signal)
  } finally {
    await listening.stop()
  }
}

function showWaiting(dispatch: Dispatch, metrics: Means['metrics']): () => Promise<void> {
  const gauge = metrics.gauge('signalbox_dispatch_waiting', 'Pods that wait for a job at this server, by pool.')
  let shown: ReadonlySet<string> = new Set()
  return async () => {
    const waiting = dispatch.countWaiting()
    for (const pool of shown) if (!waiting.has(pool)) gauge.forget({ pool })
    for (const [pool, count] of waiting) gauge.set(count, { pool })
    shown = new Set(waiting.keys())
  }
}
