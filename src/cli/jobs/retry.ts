import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { toFields } from '#/core/basics/fields.ts'
import type { retryFlags } from './command.ts'
import { readJobId } from './read-id.ts'

export async function run(context: CommandContext<typeof retryFlags>): Promise<ExitCode> {
  const { args, flags, terminal } = context
  const id = readJobId(args[0] ?? '')
  await using server = await openServer(context)
  const answer = await askDocument(server, { path: `/v1/jobs/${id}/retry`, method: 'POST' })
  const { schemaVersion: _version, ...data } = toFields(answer)
  const text = `Job ${id} is due again. What it waits for: signalbox jobs show ${id}`
  await printOutput(terminal, flags.output, { data, sections: [{ text }] })
  return EXIT.ok
}
