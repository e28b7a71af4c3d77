import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import type { ApiServer, NodeCluster, NodeClusterOptions } from './cluster.ts'
import { startApiServer, startNodeCluster } from './cluster.ts'
import type { ApiServerOptions } from './control-plane.ts'
import { readClusterEnvironment } from './environment.ts'
import { removePods } from './pods.ts'
import { RUN_PATHS } from './provided.ts'
import type { SharedNode } from './shared-node.ts'
import { reachSharedNode } from './shared-node.ts'
import type { ClusterSupport } from './support.ts'
import { clusterSupport } from './support.ts'

/** Includes time for a build, in case the global setup did not make it. */
const API_SERVER_TIMEOUT_MS = 30 * 60_000
/** Includes waiting for another test run that has nodes on this machine. */
const NODE_TIMEOUT_MS = 45 * 60_000
const STOP_TIMEOUT_MS = 180_000

/** A suite with its own API server, shared by its tests. */
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

/**
 * A suite on the node that all files of the run share. Its tests make their own namespaces (`createNamespace`), whose
 * pods are deleted after the last test.
 */
export function describeOnSharedNode(name: string, body: (cluster: () => NodeCluster) => void): void {
  describeWhereSupported(name, 'node', () => {
    let cluster: NodeCluster | undefined
    beforeAll(async () => {
      cluster = reachSharedNode(JSON.parse(await requestShared(RUN_PATHS.node)) as SharedNode)
    }, NODE_TIMEOUT_MS)
    body(() => cluster ?? fail())
    afterAll(async () => {
      if (cluster !== undefined) await removePods(cluster)
    }, STOP_TIMEOUT_MS)
  })
}

/** A suite with its own node: it breaks the node, starts it with other flags, or reads the whole cluster. */
export function describeWithPrivateNode(
  name: string,
  body: (cluster: () => NodeCluster) => void,
  options: Omit<NodeClusterOptions, 'machine'> = {},
): void {
  describeWhereSupported(name, 'node', () => {
    body(startedAround(() => startPrivateNode(options), NODE_TIMEOUT_MS))
  })
}

async function startPrivateNode(options: Omit<NodeClusterOptions, 'machine'>): Promise<NodeCluster> {
  await provideMachine()
  return await startNodeCluster({ ...options, machine: 'test-run' })
}

/** For suites whose nodes the test run starts. */
export async function provideMachine(): Promise<void> {
  await requestShared(RUN_PATHS.machine)
}

/** Starting is slow, so the answer may take minutes; undici's own limits are for servers that hang. */
async function requestShared(path: string): Promise<string> {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  try {
    const { statusCode, body } = await request(`${inject('clusterRunUrl')}${path}`, { dispatcher })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`the node of the test run did not start: ${text}`)
    return text
  } finally {
    await dispatcher.close()
  }
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
  return () => running ?? fail()
}

function fail(): never {
  throw new Error('use the cluster only inside tests and hooks')
}
