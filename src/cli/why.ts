import type { whyFlags } from '#/cli/commands/why.ts'
import type { CommandContext } from '#/cli/context.ts'
import { EXIT, type ExitCode } from '#/cli/exit-code.ts'
import { present } from '#/cli/output/present.ts'
import { investigated } from '#/cli/why/investigated.ts'
import { whyView } from '#/cli/why/view.ts'
import { CAUSES } from '#/causes/index.ts'

export async function run(context: CommandContext<typeof whyFlags>): Promise<ExitCode> {
  const results = await investigated(context, CAUSES)
  await present(context.terminal, context.flags.output, whyView(results))
  return results.some(({ verdict }) => verdict.cause === 'unknown') ? EXIT.failed : EXIT.ok
}
