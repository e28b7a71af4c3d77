import type { Gauge, Labels, Metrics } from '#/runtime/metrics/metrics.ts'
import { PRESSURE_RESOURCES } from '#/protocol/poll.ts'
import type { Gauges } from '#/protocol/poll.ts'

/** Node gauges that agents report, under /metrics. */
export type AgentMetrics = {
  readonly set: (node: string, gauges: Gauges) => void
  /** The agent is gone; its last values are stale. */
  readonly forget: (node: string) => void
}

const HELP = {
  openFiles: ['open_files', 'Open files on the node, as the kernel counts them.'],
  openFilesMax: ['open_files_max', "The node's open file limit."],
  cgroups: ['cgroups', 'Memory cgroups on the node, including deleted ones that are not freed yet.'],
  limitHits: ['runner_memory_limit_hits', 'How often running runners on the node hit their memory limit.'],
  oomKills: ['runner_oom_kills', 'OOM kills in running runners on the node.'],
  heldLogs: ['agent_held_logs', 'Runner log files that the agent keeps open.'],
  endedPods: [
    'agent_ended_pods',
    'Ended runners whose logs and counters the agent keeps until the server has stored them; with --state, on disk.',
  ],
  endedPodBytes: ['agent_ended_pod_bytes', 'Bytes of those logs and counters.'],
} as const
type Plain = keyof typeof HELP

export function agentMetrics(metrics: Metrics): AgentMetrics {
  const gauge = (name: string, help: string): Gauge => metrics.gauge(`signalbox_node_${name}`, help)
  const plain = Object.entries(HELP).map(([field, [name, help]]) => [field as Plain, gauge(name, help)] as const)
  const pressure = gauge(
    'pressure_ratio',
    'Share of the last ten seconds in which tasks waited for the resource (PSI avg10).',
  )
  const agents = metrics.gauge('signalbox_agents', 'Connected agents.')
  const known = new Set<string>()
  agents.set(0)
  const put = (one: Gauge, labels: Labels, value: number | null | undefined): void => {
    if (value === null || value === undefined) one.forget(labels)
    else one.set(value, labels)
  }
  const set = (node: string, gauges: Gauges | null): void => {
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
  return { set, forget: (node) => set(node, null) }
}
