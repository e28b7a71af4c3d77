import { systemClock } from '#/adapters/clock.ts'
import { certificateFiles } from '#/adapters/files/certificate-files.ts'
import type { CertificateFiles } from '#/adapters/files/certificate-files.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { LogFields } from '#/ports/log.ts'
import type { NodeAgent } from '#/ports/node-agents.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { agentMetrics } from '#/server/agents/agent-metrics.ts'
import { createAuthenticate } from '#/server/agents/authenticate.ts'
import { createAgentRegistry } from '#/server/agents/registry.ts'
import type { AgentRegistry, RegistryLimits } from '#/server/agents/registry.ts'
import { agentsApi } from '#/server/agents/routes.ts'
import type { ApiLimits } from '#/server/agents/routes.ts'
import { AGENT_PATH } from '#/protocol/paths.ts'
import { createApp } from '#/server/app.ts'
import { listen } from '#/server/listen.ts'
import { peerAddress } from '#/server/access/local-only.ts'

export const SECRET = 'a-secret-that-agents-of-the-tests-know'

export type AgentsServer = AsyncDisposable & {
  readonly url: string
  readonly registry: AgentRegistry
  readonly lines: readonly (readonly [string, LogFields])[]
  readonly exposed: () => string
  /** It answers no more polls but keeps listening. */
  readonly stopping: () => void
}

export type ServerPlan = {
  readonly kubernetes?: Pick<Kubernetes, 'reviewToken' | 'get'>
  readonly serviceAccount?: string
  readonly limits?: Partial<RegistryLimits>
  readonly api?: Partial<ApiLimits>
  readonly tls?: CertificateFiles
  readonly port?: number
}

const sharedSecret: BearerToken = {
  judge: async (given) => (given === SECRET ? 'right' : 'wrong'),
  fault: async () => null,
}

/** The part of `serve` that agents connect to, on a real port. */
export async function startAgentsServer(plan: ServerPlan = {}): Promise<AgentsServer> {
  const metrics = createMetrics()
  const lines: (readonly [string, LogFields])[] = []
  const line = (message: string, fields: LogFields = {}): void => void lines.push([message, fields])
  const log = { debug: line, info: line, warn: line, error: line }
  const clock = systemClock
  const registry = createAgentRegistry({ clock, log, metrics: agentMetrics(metrics), limits: plan.limits ?? {} })
  const { kubernetes = null, serviceAccount = null, api = {} } = plan
  const authenticate = createAuthenticate({ kubernetes, serviceAccount, secret: sharedSecret, clock })
  const stopping = new AbortController()
  const { signal } = stopping
  const agents = agentsApi({ registry, authenticate, signal, peerAddress, clock, limits: api })
  const app = createApp({
    version: 'test',
    metrics,
    readiness: [],
    log,
    routes: [{ path: AGENT_PATH, handler: agents }],
  })
  const listening = await listen(
    app,
    { host: '127.0.0.1', port: plan.port ?? 0 },
    plan.tls === undefined ? null : certificateFiles(plan.tls),
  )
  if (listening.kind === 'refused') throw new Error(listening.why)
  return {
    url: listening.url,
    registry,
    lines,
    exposed: metrics.expose,
    stopping: () => stopping.abort(),
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await listening.close()
    },
  }
}

export function agentIn({ registry }: Pick<AgentsServer, 'registry'>, node: string): NodeAgent {
  const agent: NodeAgent | Blind = registry.of(node)
  if ('kind' in agent) throw new Error(`${agent.reason.code}: ${agent.reason.detail}`)
  return agent
}
