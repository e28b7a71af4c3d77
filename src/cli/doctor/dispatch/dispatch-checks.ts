import type { Check } from '#/cli/doctor/check.ts'
import { dispatchRights } from './dispatch-rights.ts'
import { poolPermissions } from './pool-permissions.ts'
import { runnerPools } from './runner-pools.ts'
import { webhookDeliveries } from './webhook-deliveries.ts'
import { webhookEvents, webhookSecret } from './webhook-setup.ts'

/** What own pools need besides; only with `dispatch.enabled`. */
export const DISPATCH_CHECKS: readonly Check[] = [
  runnerPools,
  dispatchRights,
  poolPermissions,
  webhookSecret,
  webhookEvents,
  webhookDeliveries,
]
