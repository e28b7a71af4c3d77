import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { quiesceFlags } from './command.ts'
import { parseWait, runLane } from './run-lane.ts'

const PROVE_MS = 120_000

export async function run(context: CommandContext<typeof quiesceFlags>): Promise<ExitCode> {
  const { wait } = context.flags
  const drainMs = wait === undefined ? null : parseWait(wait)
  return await runLane(context, {
    order: { kind: 'quiesce' },
    proveMs: Math.min(PROVE_MS, drainMs ?? PROVE_MS),
    drainMs,
  })
}
