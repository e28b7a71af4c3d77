import type { whyFlags } from '#/cli/commands/why.ts'
import type { CommandContext } from '#/cli/context.ts'
import { EXIT, type ExitCode } from '#/cli/exit-code.ts'
import { present } from '#/cli/output/present.ts'
import { investigated } from '#/cli/why/investigated.ts'
import { causeOf, recordedView } from '#/cli/why/recorded-view.ts'
import { whyView } from '#/cli/why/view.ts'

export async function run(context: CommandContext<typeof whyFlags>): Promise<ExitCode> {
  const found = await investigated(context, { isJudging: true })
  const view = found.kind === 'judged' ? whyView(found.results) : recordedView(found.recorded)
  await present(context.terminal, context.flags.output, view)
  const causes = found.kind === 'judged' ? found.results.map(({ verdict }) => verdict.cause) : [causeOf(found.recorded)]
  return causes.includes('unknown') ? EXIT.failed : EXIT.ok
}
