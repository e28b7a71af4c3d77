import type { AskedContext } from '#/cli/audit/asked-fleet.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { reapFlags } from './command.ts'
import { look } from './plan/look.ts'
import { reapExit } from './plan/reap-exit.ts'
import { toApplyWish, toReapQuestion } from './reap-question.ts'
import { renderReap } from './plan/render-reap.ts'

export async function run(context: CommandContext<typeof reapFlags>): Promise<ExitCode> {
  const { flags, terminal } = context
  const question = toReapQuestion(context)
  const wish = toApplyWish(context)
  // GitLab's runners are no subject of any policy.
  const asked: AskedContext = {
    ...context,
    flags: { ...flags, 'gitlab-config': undefined, 'gitlab-runners-json': undefined },
  }
  if (wish !== null) {
    const { apply } = await import('./apply/apply.ts')
    return await apply(asked, { question, wish, output: flags.output })
  }
  const answer = await look(asked, question)
  await printOutput(terminal, flags.output, renderReap(answer))
  return reapExit(answer)
}
