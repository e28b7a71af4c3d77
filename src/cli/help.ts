import type { CommandContext } from '#/cli/context.ts'
import { EXIT, type ExitCode } from '#/cli/exit-code.ts'
import { resolve, unknownCommand } from '#/cli/grammar/parse.ts'
import { showHelp } from '#/cli/show-help.ts'
import { usageFailure } from '#/cli/usage-failure.ts'

export async function run({ args, path: [root], terminal }: CommandContext): Promise<ExitCode> {
  const { path, rest } = resolve(
    root,
    args.map((text) => ({ text, literal: false })),
  )
  const [unknown] = rest
  if (unknown !== undefined) throw usageFailure(unknownCommand(path.at(-1) ?? root, unknown.text), path)
  showHelp(terminal, path)
  return EXIT.ok
}
