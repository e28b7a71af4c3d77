import { agents } from '#/cli/doctor/agents.ts'
import { arc } from '#/cli/doctor/arc.ts'
import { auditLogSource } from './audit-log-source.ts'
import type { Check } from '#/cli/doctor/check.ts'
import { clockSkew } from '#/cli/doctor/clock-skew.ts'
import { dataFolder } from '#/cli/doctor/data-folder.ts'
import { databaseServer } from '#/cli/doctor/database.ts'
import { githubBudget } from '#/cli/doctor/github-budget.ts'
import { githubPermissions } from '#/cli/doctor/github-permissions.ts'
import { github } from '#/cli/doctor/github.ts'
import { journal } from '#/cli/doctor/journal.ts'
import { eventsRight, kubernetesRights, podsRight } from '#/cli/doctor/kubernetes-rights.ts'
import { kubernetes } from '#/cli/doctor/kubernetes.ts'
import { nodeVersion } from '#/cli/doctor/node-version.ts'
import { dispatchRights } from './dispatch-rights.ts'
import { poolPermissions } from './pool-permissions.ts'
import { proxy } from '#/cli/doctor/proxy.ts'
import { runnerPools } from './runner-pools.ts'
import { webhookDeliveries } from './webhook-deliveries.ts'
import { webhookEvents, webhookSecret } from './webhook-setup.ts'

/** In display order: this machine, the cluster, GitHub, the network between them. */
export const CHECKS: readonly Check[] = [
  nodeVersion,
  dataFolder,
  databaseServer,
  kubernetes,
  podsRight,
  eventsRight,
  kubernetesRights,
  arc,
  agents,
  auditLogSource,
  github,
  githubPermissions,
  githubBudget,
  clockSkew,
  proxy,
  journal,
]

/** What own pools need besides; only with `dispatch.enabled`. */
export const DISPATCH_CHECKS: readonly Check[] = [
  runnerPools,
  dispatchRights,
  poolPermissions,
  webhookSecret,
  webhookEvents,
  webhookDeliveries,
]
