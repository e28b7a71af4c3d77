import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { ok, skip, warn } from '#/cli/doctor/check.ts'
import type { RunningServer } from '#/cli/doctor/running-server.ts'

export const agents: Check = {
  id: 'agents',
  title: 'Agents',
  check: async ({ runningServer }) => judgeAgents(await runningServer()),
}

export function judgeAgents(server: RunningServer | null): CheckResult {
  if (server === null) return skip('no signalbox serve answers here')
  const connected = server.count('signalbox_agents') ?? 0
  if (connected > 0) return ok(`${connected} connected to ${server.url}`)
  return warn('none is connected', {
    cost: 'What the kernel and the kubelet of a node said about a death is unknown.',
    mend: 'Install the agent, or see why it is not let in: kubectl logs daemonset/signalbox-agent.',
  })
}
