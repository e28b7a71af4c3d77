import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { ok, skip, warn } from '#/cli/doctor/check.ts'
import type { RunningServer } from '#/cli/doctor/running-server.ts'

export const agents: Check = {
  id: 'agents',
  title: 'Agents',
  check: async ({ runningServer }) => judgeAgents(await runningServer()),
}

export function judgeAgents(server: RunningServer | null): CheckResult {
  if (server === null) return skip('signalbox serve is not running here')
  const connected = server.count('signalbox_agents') ?? 0
  if (connected > 0) return ok(`${connected} connected to ${server.url}`)
  return warn('no agent is connected', {
    cost: 'Kernel and kubelet messages about a death are not recorded.',
    fix: 'Install the agent, or find out why it cannot connect: kubectl logs daemonset/signalbox-agent.',
  })
}
