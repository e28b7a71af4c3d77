import type { whyFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { present } from '#/cli/output/present.ts'
import { investigated } from './investigated.ts'
import { causeOf, recordedView } from './recorded-view.ts'
import { whyView } from './view.ts'

export async function run(context: CommandContext<typeof whyFlags>): Promise<ExitCode> {
  const found = await investigated(context, { isJudging: true })
  const view = found.kind === 'judged' ? whyView(found.results) : recordedView(found.recorded)
  await present(context.terminal, context.flags.output, view)
  const causes = found.kind === 'judged' ? found.results.map(({ verdict }) => verdict.cause) : [causeOf(found.recorded)]
  return causes.includes('unknown') ? EXIT.failed : EXIT.ok
}
