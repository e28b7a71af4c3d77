import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { Store } from '#/ports/store/store.ts'
import type { BreakerGate } from '#/runtime/dispatch/breaker-gate.ts'
import type { DispatchWorld } from '#/runtime/own-pools/observe-dispatch.ts'
import type { Guards } from '#/server/access/auth.ts'
import { jobsApi } from '#/server/queue/jobs-api.ts'
import { poolsApi } from '#/server/queue/pools-api.ts'
import { queueApi } from '#/server/queue/queue-api.ts'
import { runnersApi } from '#/server/queue/runners-api.ts'

type Means = PartMeans & {
  readonly store: Pick<Store, 'assignments' | 'deliveries'>
  readonly ledger: Ledger
  readonly guards: Guards
  readonly admit: MiddlewareHandler
  readonly breakers: Pick<BreakerGate, 'open'>
}

/** `/v1/queue`, `/v1/jobs`, `/v1/runners`, `/v1/pools`. `world` null: this server has no pools of its own. */
export function openQueueApi(world: DispatchWorld | null, means: Means): Part {
  const { assignments, deliveries } = means.store
  const options = { ...means, assignments, deliveries, world, nameRun: () => randomUUID() }
  return {
    routes: [
      { path: '/v1/queue', handler: queueApi(options) },
      { path: '/v1/jobs', handler: jobsApi(options) },
      { path: '/v1/runners', handler: runnersApi(options) },
      { path: '/v1/pools', handler: poolsApi(options) },
    ],
    dispose: nothingToDispose,
  }
}
