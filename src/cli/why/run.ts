import type { whyFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/present.ts'
import { judgeSubject } from './investigated.ts'
import { recordedCause, renderRecorded } from './recorded-view.ts'
import { renderWhy } from './view.ts'

export async function run(context: CommandContext<typeof whyFlags>): Promise<ExitCode> {
  const found = await judgeSubject(context, { isJudging: true })
  const output = found.kind === 'judged' ? renderWhy(found.results) : renderRecorded(found.recorded)
  await printOutput(context.terminal, context.flags.output, output)
  const causes = found.kind === 'judged' ? found.results.map(({ verdict }) => verdict.cause) : [recordedCause(found.recorded)]
  return causes.includes('unknown') ? EXIT.failed : EXIT.ok
}
