import type { MiddlewareHandler } from 'hono'
import type { Log } from '#/ports/log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Deliveries } from '#/ports/store/deliveries.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { ObserveMeans } from '#/runtime/own-pools/observe-dispatch.ts'
import type { Guards } from '#/server/access/auth.ts'

/** Of the routes about jobs, runners and pools. */
export type QueueOptions = ObserveMeans & {
  readonly guards: Guards
  readonly deliveries: Pick<Deliveries, 'list'>
  readonly ledger: Ledger
  readonly clock: Clock
  readonly log: Pick<Log, 'info'>
  /** Names one run of a command in the ledger. */
  readonly nameRun: () => string
  /** Gives each request its turn. */
  readonly admit: MiddlewareHandler
}
