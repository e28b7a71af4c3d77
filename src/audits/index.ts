import type { Audit } from '#/core/fleet/audit.ts'
import { auth } from './auth.ts'
import { burst } from './burst.ts'
import { capacity } from './capacity.ts'
import { contract } from './contract.ts'
import { cache } from './cache.ts'
import { drift } from './drift.ts'
import { gitlab } from './gitlab.ts'
import { imagefs } from './imagefs.ts'
import { labels } from './labels.ts'
import { network } from './network.ts'
import { nodes } from './nodes.ts'
import { preflight } from './preflight.ts'
import { pullSecrets } from './pull-secrets.ts'
import { trust } from './trust.ts'
import { runtime } from './runtime.ts'

/** Every audit, in the order of the contract. */
export const AUDITS: readonly Audit[] = [
  burst,
  labels,
  imagefs,
  runtime,
  network,
  pullSecrets,
  contract,
  capacity,
  preflight,
  nodes,
  auth,
  drift,
  cache,
  trust,
  gitlab,
]
