import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { laneFlags } from './command.ts'
import { parseWait, runLane } from './run-lane.ts'

export async function run(context: CommandContext<typeof laneFlags>): Promise<ExitCode> {
  return await runLane(context, { order: { kind: 'resume' }, proveMs: parseWait(context.flags.wait), drainMs: null })
}
