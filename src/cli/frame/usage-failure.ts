import { CommandFailure } from './command-failure.ts'
import { EXIT } from './exit-code.ts'
import type { CommandPath } from './command.ts'
import { pathName } from './command.ts'
import type { Problem } from './scan.ts'
import { printable } from '#/cli/output/printable.ts'

export function usageFailure({ message, meant }: Problem, path: CommandPath): CommandFailure {
  return new CommandFailure(EXIT.usage, printable(message), [
    ...(meant.length === 0 ? [] : [`did you mean ${meant.join(' or ')}?`]),
    `see: ${pathName(path)} --help`,
  ])
}
