import { processesByExec } from '#/adapters/pod-processes/by-exec.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openAgentProcesses } from '#/cli/collect/agent-processes.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { readProcesses } from '#/runtime/collect/processes/read-processes.ts'
import type { ProcessMeans } from '#/runtime/collect/processes/read-processes.ts'

type Command = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'>

/** Asks the agents through the server, and `pods/exec` with the rights of the kubeconfig. Sends no request yet. */
export async function openProcessMeans(command: Command): Promise<AsyncDisposable & ProcessMeans> {
  const { config } = await command.config()
  const agents = await openAgentProcesses(command)
  const kubernetes = openCluster(config, await readNetwork(config), command.clock)
  const exec = kubernetes === null ? null : processesByExec({ kubernetes, clock: command.clock, redact })
  return {
    agent: agents.read,
    exec,
    [Symbol.asyncDispose]: async () => {
      await agents[Symbol.asyncDispose]()
      await kubernetes?.[Symbol.asyncDispose]()
    },
  }
}

/** The view with the processes of these runners, and of no others: a fleet has thousands. */
export async function withProcesses(
  command: Command,
  view: RuntimeView,
  runners: Iterable<RunnerState>,
): Promise<RuntimeView> {
  const asked = new Set(runners)
  if (asked.size === 0) return view
  await using means = await openProcessMeans(command)
  const processes = await readProcesses([...asked], means, command.signal)
  command.signal.throwIfAborted()
  const { fleet } = view
  return { ...view, fleet: { ...fleet, snapshot: { ...fleet.snapshot, processes } } }
}
