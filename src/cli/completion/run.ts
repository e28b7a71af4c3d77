import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { zshCompletion } from './zsh.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'

const SCRIPTS: Readonly<Record<string, string>> = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }

export async function run({ args: [shell = ''], terminal }: CommandContext): Promise<ExitCode> {
  terminal.data(SCRIPTS[shell] ?? '')
  return EXIT.ok
}
