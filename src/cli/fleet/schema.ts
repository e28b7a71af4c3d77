import { fleetJsonSchema } from '#/adapters/fleet-file/fleet-schema.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'

export async function run({ terminal }: CommandContext): Promise<ExitCode> {
  terminal.data(`${JSON.stringify(fleetJsonSchema(), null, 2)}\n`)
  return EXIT.ok
}
