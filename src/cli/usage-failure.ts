import { CommandFailure } from '#/cli/command-failure.ts'
import { EXIT } from '#/cli/exit-code.ts'
import { type CommandPath, pathName } from '#/cli/grammar/command.ts'
import type { Problem } from '#/cli/grammar/scan.ts'
import { printable } from '#/cli/output/printable.ts'

export function usageFailure({ message, meant }: Problem, path: CommandPath): CommandFailure {
  return new CommandFailure(EXIT.usage, printable(message), [
    ...(meant.length === 0 ? [] : [`did you mean ${meant.join(' or ')}?`]),
    `see: ${pathName(path)} --help`,
  ])
}
