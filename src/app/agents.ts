import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { openTokenFile } from '#/adapters/files/token-file.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import { AGENT_PATH } from '#/protocol/paths.ts'
import { agentMetrics } from '#/server/agents/agent-metrics.ts'
import { createAuthenticate } from '#/server/agents/authenticate.ts'
import { createAgentRegistry } from '#/server/agents/registry.ts'
import { agentsApi } from '#/server/agents/routes.ts'
import type { Guards } from '#/server/access/auth.ts'
import { hostsApi } from '#/server/hosts.ts'
import { peerAddress } from '#/server/access/local-only.ts'
import { processesApi } from '#/server/processes.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

type Means = PartMeans & { readonly kubernetes: KubernetesConnection | null; readonly guards: Guards }

/** Null where no agent can be let in: then no death waits for one. */
export type AgentsPart = Part & { readonly agents: NodeAgents | null }

const OWN_NAME = 'signalbox-agent'

/** The agents of the nodes: where they come in, and how they are asked. */
export async function openAgents(
  { config, kubernetes, clock, log, metrics, guards }: Means,
  signal: AbortSignal,
): Promise<AgentsPart> {
  const registry = createAgentRegistry({ clock, log, metrics: agentMetrics(metrics) })
  const { tokenFile } = config.agent
  const secret = tokenFile === null ? null : openTokenFile(tokenFile)
  const fault = await secret?.fault()
  if (typeof fault === 'string')
    log.warn('cannot use agent.tokenFile: agents with that token are refused', { why: fault })
  const serviceAccount = config.agent.serviceAccount ?? (await ownAccount({ config, kubernetes }, signal))
  const authenticate = createAuthenticate({ kubernetes, serviceAccount, secret, clock })
  const handler = agentsApi({ registry, authenticate, signal, peerAddress, clock })
  const hosts = hostsApi({ guards, agents: registry })
  const routes = [
    { path: AGENT_PATH, handler },
    { path: '/v1/hosts', handler: hosts },
    { path: '/v1/processes', handler: processesApi({ guards, agents: registry }) },
  ]
  const agents = secret === null && (kubernetes === null || serviceAccount === null) ? null : registry
  return { routes, agents, dispose: nothingToDispose }
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
