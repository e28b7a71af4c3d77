import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import type { listFlags } from './command.ts'

export async function run(context: CommandContext<typeof listFlags>): Promise<ExitCode> {
  const { flags, terminal } = context
  await using server = await openServer(context)
  const breakers = listAt(await askDocument(server, { path: '/v1/breakers' }), 'breakers')
  const table = { columns: ['key', 'state', 'failures', 'open until', 'why'], rows: breakers.map(toRow) }
  await printOutput(terminal, flags.output, {
    data: { breakers },
    sections: [breakers.length === 0 ? { text: 'Nothing has failed: there are no breakers.' } : { table }],
  })
  return EXIT.ok
}

function toRow(breaker: unknown): string[] {
  const until = numberAt(breaker, 'openUntil')
  const [key = '', state = '', why = ''] = ['key', 'state', 'why'].map((name) =>
    printable(textAt(breaker, name) ?? '-'),
  )
  const openUntil = until === null ? '-' : new Date(until).toISOString()
  return [key, state, String(numberAt(breaker, 'failures') ?? '-'), openUntil, why]
}
