import { describeReason } from '#/core/basics/observed.ts'
import { describeStatus, toWrittenStatus } from '#/core/pools/reconcile/pool-status.ts'
import type { PoolPlan } from '#/core/pools/reconcile/world.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import type { DeclaredPool } from './pool-book.ts'

type Means = { readonly kubernetes: Pick<Kubernetes, 'patch'>; readonly clock: Clock; readonly log: Log }

const FIELD_MANAGER = 'signalbox-pools'
/** The watch shows a write a moment later. */
const UNSEEN_MS = 5000

export type StatusWriter = {
  readonly write: (
    plans: readonly PoolPlan[],
    pools: ReadonlyMap<string, DeclaredPool>,
    signal: AbortSignal,
  ) => Promise<void>
}

/** Writes what has changed, by server-side apply: what others add to the status stays. */
export function createStatusWriter({ kubernetes, clock, log }: Means): StatusWriter {
  const written = new Map<string, { readonly text: string; readonly at: number }>()
  const writeOne = async (plan: PoolPlan, pool: DeclaredPool, signal: AbortSignal): Promise<void> => {
    const { object, reading, isDeleting, scope } = pool
    if (object === null) return
    const now = clock.now()
    const problems = reading.kind === 'invalid' ? reading.problems : []
    const shown = describeStatus({ problems, isDeleting, plan })
    const status = toWrittenStatus(object, shown, now)
    if (status === null) return
    const text = JSON.stringify(shown)
    const last = written.get(scope)
    if (last?.text === text && now - last.at < UNSEEN_MS) return
    written.set(scope, { text, at: now })
    const { namespace = '', name, uid } = object.metadata
    const { apiVersion, kind } = object
    const patch = {
      kind: 'apply',
      fieldManager: FIELD_MANAGER,
      force: true,
      object: { apiVersion, kind, metadata: { name, namespace }, status },
    } as const
    const place = { resource: RESOURCES.runnerPools, namespace, name, subresource: 'status' }
    const outcome = await kubernetes.patch({ ...place, preconditions: { uid }, patch }, signal)
    if (outcome.kind === 'done' || outcome.kind === 'gone' || outcome.kind === 'conflict') return
    const why = outcome.kind === 'blind' ? describeReason(outcome.reason) : outcome.message
    log.warn('the status of a pool was not written', { pool: scope, why })
  }
  return {
    write: async (plans, pools, signal) => {
      for (const plan of plans) {
        const pool = pools.get(plan.scope)
        if (pool !== undefined && !signal.aborted) await writeOne(plan, pool, signal)
      }
    },
  }
}
