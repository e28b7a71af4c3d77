import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { resetFlags } from './command.ts'

export async function run(context: CommandContext<typeof resetFlags>): Promise<ExitCode> {
  const { args, flags, terminal } = context
  const [key = ''] = args
  await using server = await openServer(context)
  await askDocument(server, { path: '/v1/breakers/reset', method: 'POST', query: { key } })
  const text = `The breaker ${printable(key)} is closed.`
  await printOutput(terminal, flags.output, { data: { reset: key }, sections: [{ text }] })
  return EXIT.ok
}
