import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { resolve, unknownCommand } from '#/cli/frame/parse.ts'
import { showHelp } from '#/cli/frame/show-help.ts'
import { usageFailure } from '#/cli/frame/usage-failure.ts'

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
