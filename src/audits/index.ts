import type { Audit } from '#/core/audit/audit.ts'
import { auth } from '#/audits/auth/audit.ts'
import { burst } from '#/audits/burst/audit.ts'
import { capacity } from '#/audits/capacity/audit.ts'
import { contract } from '#/audits/contract/audit.ts'
import { cache } from '#/audits/cache/audit.ts'
import { drift } from '#/audits/drift/audit.ts'
import { gitlab } from '#/audits/gitlab/audit.ts'
import { imagefs } from '#/audits/imagefs/audit.ts'
import { labels } from '#/audits/labels/audit.ts'
import { network } from '#/audits/network/audit.ts'
import { nodes } from '#/audits/nodes/audit.ts'
import { preflight } from '#/audits/preflight/audit.ts'
import { pullSecrets } from '#/audits/pull-secrets/audit.ts'
import { trust } from '#/audits/trust/audit.ts'
import { runtime } from '#/audits/runtime/audit.ts'

/** Every audit, in the order of docs/contracts/findings.md. */
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
