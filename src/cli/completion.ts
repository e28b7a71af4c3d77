import { bashCompletion } from '#/cli/completion/bash.ts'
import { fishCompletion } from '#/cli/completion/fish.ts'
import { zshCompletion } from '#/cli/completion/zsh.ts'
import type { CommandContext } from '#/cli/context.ts'
import { EXIT, type ExitCode } from '#/cli/exit-code.ts'

const SCRIPTS: Readonly<Record<string, string>> = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

export async function run({ args: [shell = ''], terminal }: CommandContext): Promise<ExitCode> {
  terminal.data(SCRIPTS[shell] ?? '')
  return EXIT.ok
}
