import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { jsonSchema } from '#/config/json-schema.ts'

export async function run({ terminal }: CommandContext): Promise<ExitCode> {
  terminal.data(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
  return EXIT.ok
}
