import type { Hono } from 'hono'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { openTokenFile } from '#/adapters/files/token-file.ts'
import type { Config } from '#/config/config.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { Metrics } from '#/runtime/metrics.ts'
import { agentMetrics } from '#/server/agents/agent-metrics.ts'
import { createAuthenticate } from '#/server/agents/authenticate.ts'
import { createAgentRegistry } from '#/server/agents/registry.ts'
import { agentsApi } from '#/server/agents/routes.ts'
import { peerAddress } from '#/server/local-only.ts'

type Means = {
  readonly config: Config
  readonly kubernetes: KubernetesConnection | null
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

const OWN_NAME = 'signalbox-agent'

/** The agents of the nodes: where they come in, and how they are asked. */
export async function openAgents(
  { config, kubernetes, clock, log, metrics }: Means,
  signal: AbortSignal,
): Promise<{ readonly api: Hono; readonly agents: NodeAgents }> {
  const registry = createAgentRegistry({ clock, log, metrics: agentMetrics(metrics) })
  const { tokenFile } = config.agent
  const secret = tokenFile === null ? null : openTokenFile(tokenFile)
  const fault = await secret?.fault()
  if (typeof fault === 'string') log.warn('no agent is let in by agent.tokenFile', { why: fault })
  const serviceAccount = config.agent.serviceAccount ?? (await ownAccount({ config, kubernetes }, signal))
  const authenticate = createAuthenticate({ kubernetes, serviceAccount, secret, clock })
  return { api: agentsApi({ registry, authenticate, signal, peerOf: peerAddress, clock }), agents: registry }
}

/** Only in a cluster is there a namespace that is ours. */
async function ownAccount(
  { config, kubernetes }: Pick<Means, 'config' | 'kubernetes'>,
  signal: AbortSignal,
): Promise<string | null> {
  if (kubernetes === null || config.kubernetes.source.kind !== 'in-cluster') return null
  const access = await kubernetes.access(signal)
  if (access.kind !== 'seen' || access.value.namespace === null) return null
  return `${access.value.namespace}/${OWN_NAME}`
}
