import type { CommandContext } from '#/cli/context.ts'
import { EXIT, type ExitCode } from '#/cli/exit-code.ts'
import { complete } from '#/cli/grammar/complete.ts'

export async function run({ args, path: [root], terminal }: CommandContext): Promise<ExitCode> {
  const { candidates, also } = complete(args, root)
  const lines = candidates.map(({ value, summary }) => `${value}\t${summary}\n`)
  terminal.data(`${lines.join('')}:${also}\n`)
  return EXIT.ok
}
