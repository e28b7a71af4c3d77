import type { CommandContext } from '#/cli/context.ts'
import { EXIT, type ExitCode } from '#/cli/exit-code.ts'
import { jsonSchema } from '#/config/json-schema.ts'

export async function run({ terminal }: CommandContext): Promise<ExitCode> {
  terminal.data(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
  return EXIT.ok
}
