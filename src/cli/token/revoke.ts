import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { revokeFlags } from './command.ts'

export async function run(context: CommandContext<typeof revokeFlags>): Promise<ExitCode> {
  const { args, flags, terminal } = context
  const [name = ''] = args
  await using server = await openServer(context)
  await askDocument(server, { path: `/v1/tokens/${encodeURIComponent(name)}`, method: 'DELETE' })
  const text = `The token ${printable(name)} is revoked.`
  await printOutput(terminal, flags.output, { data: { revoked: name }, sections: [{ text }] })
  return EXIT.ok
}
