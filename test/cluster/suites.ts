import { afterAll, beforeAll, describe } from 'vitest'
import type { ApiServer, NodeCluster, NodeClusterOptions } from './cluster.ts'
import { startApiServer, startNodeCluster } from './cluster.ts'
import type { ApiServerOptions } from './control-plane.ts'
import { readClusterEnvironment } from './environment.ts'
import type { ClusterSupport } from './support.ts'
import { clusterSupport } from './support.ts'

/** With time for a build, should the global setup not have made it. */
const API_SERVER_TIMEOUT_MS = 30 * 60_000
/** Also for the nodes of other files, which take turns. */
const NODE_TIMEOUT_MS = 45 * 60_000
const STOP_TIMEOUT_MS = 180_000

/** A suite that has an API server of its own, shared by its tests. */
export function describeWithApiServer(
  name: string,
  body: (cluster: () => ApiServer) => void,
  options: ApiServerOptions = {},
): void {
  const start = (): Promise<ApiServer> => startApiServer(options)
  describeWhereSupported(name, options.controllers === true ? 'controllers' : 'api-server', () =>
    body(startedAround(start, API_SERVER_TIMEOUT_MS)),
  )
}

/** A suite that has a cluster with a real node of its own, shared by its tests. */
export function describeWithNode(
  name: string,
  body: (cluster: () => NodeCluster) => void,
  options: NodeClusterOptions = {},
): void {
  const start = (): Promise<NodeCluster> => startNodeCluster(options)
  describeWhereSupported(name, 'node', () => body(startedAround(start, NODE_TIMEOUT_MS)))
}

/** A suite that starts its clusters itself. Skipped where it cannot, or failed where that is not allowed. */
export function describeWhereSupported(name: string, need: Need, body: () => void): void {
  const plan = planSuite(need, clusterSupport(), readClusterEnvironment().fullTestsRequired)
  if (plan.kind === 'fail') throw new Error(plan.reason)
  // oxlint-disable-next-line vitest/valid-title -- the rule cannot see that the name is a string
  describe.skipIf(plan.kind === 'skip')(name, () => {
    body()
  })
}

export type Need = 'api-server' | 'controllers' | 'node'

/** What a suite does on this machine. */
export type SuitePlan =
  | { readonly kind: 'run' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'fail'; readonly reason: string }

export function planSuite(need: Need, support: ClusterSupport, required: boolean): SuitePlan {
  if (isMet(need, support)) return { kind: 'run' }
  if (!required) return { kind: 'skip' }
  return {
    kind: 'fail',
    reason: `SIGNALBOX_REQUIRE_FULL_TESTS is set and a suite needs the ${need}: ${howToEnable(support)}`,
  }
}

function isMet(need: Need, support: ClusterSupport): boolean {
  if (support.kind !== 'api-server-only') return support.kind === 'full'
  return need === 'api-server' || (need === 'controllers' && support.controllers)
}

function howToEnable(support: ClusterSupport): string {
  return support.kind === 'full' ? '' : support.missing
}

/** Started before the tests of the suite that is being described, stopped after them. */
function startedAround<T extends ApiServer>(start: () => Promise<T>, timeoutMs: number): () => T {
  let running: T | undefined
  beforeAll(async () => {
    running = await start()
  }, timeoutMs)
  afterAll(async () => {
    await running?.stop()
  }, STOP_TIMEOUT_MS)
  return () => {
    if (running === undefined) throw new Error('the cluster is there inside of tests and hooks only')
    return running
  }
}
