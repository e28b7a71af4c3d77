import type { whyFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { judgeSubject } from './judge-subject.ts'
import { recordedCause, renderRecorded } from './render-recorded.ts'
import { renderWhy } from './render-why.ts'

export async function run(context: CommandContext<typeof whyFlags>): Promise<ExitCode> {
  const found = await judgeSubject(context, { isJudging: true })
  const { brief, timeline } = context.flags
  const long = timeline ? 'full' : 'usual'
  const length = brief ? 'brief' : long
  const output = found.kind === 'judged' ? renderWhy(found.results, length) : renderRecorded(found.recorded, length)
  await printOutput(context.terminal, context.flags.output, output)
  const causes =
    found.kind === 'judged' ? found.results.map(({ verdict }) => verdict.cause) : [recordedCause(found.recorded)]
  return causes.includes('unknown') ? EXIT.failed : EXIT.ok
}
