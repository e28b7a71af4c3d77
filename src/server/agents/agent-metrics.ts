import type { Gauge, Labels, Metrics } from '#/runtime/metrics/metrics.ts'
import { PRESSURE_RESOURCES } from '#/protocol/poll.ts'
import type { Gauges } from '#/protocol/poll.ts'

/** What the agents tell of their nodes, under /metrics. */
export type AgentMetrics = {
  readonly tell: (node: string, gauges: Gauges) => void
  /** The agent is gone, and what it said last holds no more. */
  readonly forget: (node: string) => void
}

const HELP = {
  openFiles: ['open_files', 'Open files of the node, as the kernel counts them.'],
  openFilesMax: ['open_files_max', 'The most open files that the node allows.'],
  cgroups: ['cgroups', 'Memory cgroups of the node, those included that are gone and not freed.'],
  limitHits: ['runner_memory_limit_hits', 'How often the living runners of the node met their memory limit.'],
  oomKills: ['runner_oom_kills', 'How often the kernel killed in the living runners of the node.'],
  heldLogs: ['agent_held_logs', 'Log files of runners that the agent holds open.'],
} as const
type Plain = keyof typeof HELP

export function agentMetrics(metrics: Metrics): AgentMetrics {
  const gauge = (name: string, help: string): Gauge => metrics.gauge(`signalbox_node_${name}`, help)
  const plain = Object.entries(HELP).map(([field, [name, help]]) => [field as Plain, gauge(name, help)] as const)
  const pressure = gauge('pressure_ratio', 'Share of the last ten seconds in which tasks waited for the resource.')
  const agents = metrics.gauge('signalbox_agents', 'Agents that are there.')
  const known = new Set<string>()
  agents.set(0)
  const put = (one: Gauge, labels: Labels, value: number | null | undefined): void => {
    if (value === null || value === undefined) one.forget(labels)
    else one.set(value, labels)
  }
  const tell = (node: string, gauges: Gauges | null): void => {
    for (const [field, one] of plain) put(one, { node }, gauges?.[field])
    for (const resource of PRESSURE_RESOURCES) {
      for (const kind of ['some', 'full'] as const) {
        put(pressure, { node, resource, kind }, gauges?.pressure[resource]?.[kind])
      }
    }
    if (gauges === null) known.delete(node)
    else known.add(node)
    agents.set(known.size)
  }
  return { tell, forget: (node) => tell(node, null) }
}
