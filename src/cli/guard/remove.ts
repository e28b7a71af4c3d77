import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { removeFlags } from './command.ts'
import { openGuardCluster } from './open.ts'
import { removeGuard } from './remove-steps.ts'
import { renderSteps, stepsExit } from './steps.ts'

export async function run(context: CommandContext<typeof removeFlags>): Promise<ExitCode> {
  const { flags, terminal, signal } = context
  await using open = await openGuardCluster(context)
  const { kubernetes, namespaces, config } = open
  const isDry = flags['dry-run']
  const steps = await removeGuard(kubernetes, { namespaces, isDry, signal })
  await printOutput(terminal, flags.output, renderSteps(steps, { namespaces, dryRun: isDry }))
  if (config.guard.stamp)
    terminal.notice('guard.stamp is on: signalbox serve sets the stamps again until you turn it off.')
  return stepsExit(steps)
}
