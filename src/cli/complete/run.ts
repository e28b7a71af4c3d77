import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { complete } from '#/cli/frame/complete.ts'

export async function run({ args, path: [root], terminal }: CommandContext): Promise<ExitCode> {
  const { candidates, also } = complete(args, root)
  const lines = candidates.map(({ value, summary }) => `${value}\t${summary}\n`)
  terminal.data(`${lines.join('')}:${also}\n`)
  return EXIT.ok
}
