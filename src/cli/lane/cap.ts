import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import { LARGEST_MAX } from '#/core/lane/cap.ts'
import type { LaneOrder } from '#/core/lane/plan-change.ts'
import type { laneFlags } from './command.ts'
import { parseWait, runLane } from './run-lane.ts'

export async function run(context: CommandContext<typeof laneFlags>): Promise<ExitCode> {
  const order = parseOrder(context.args[1] ?? '')
  return await runLane(context, { order, proveMs: parseWait(context.flags.wait), drainMs: null })
}

function parseOrder(text: string): LaneOrder {
  if (text === 'restore') return { kind: 'restore' }
  const max = /^\d{1,10}$/u.test(text) ? Number(text) : Number.NaN
  if (max > 0 && max <= LARGEST_MAX) return { kind: 'cap', max }
  throw new CommandFailure(EXIT.usage, `${printable(text)} is neither restore nor a maximum from 1 to ${LARGEST_MAX}`, [
    max === 0 ? 'to take no jobs at all: signalbox lane quiesce SET' : 'see: signalbox lane cap --help',
  ])
}
