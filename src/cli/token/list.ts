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
  const tokens = listAt(await askDocument(server, { path: '/v1/tokens' }), 'tokens')
  const table = {
    columns: ['name', 'role', 'state', 'created', 'expires', 'last used', 'from'],
    rows: tokens.map(toRow),
  }
  await printOutput(terminal, flags.output, {
    data: { tokens },
    sections: [tokens.length === 0 ? { text: 'There are no tokens: signalbox token create NAME' } : { table }],
  })
  return EXIT.ok
}

function toRow(token: unknown): string[] {
  const time = (key: string, absent: string): string => {
    const at = numberAt(token, key)
    return at === null ? absent : new Date(at).toISOString()
  }
  const [name = '', role = '', state = '', source = ''] = ['name', 'role', 'state', 'source'].map((key) =>
    printable(textAt(token, key) ?? '-'),
  )
  return [name, role, state, time('createdAt', '-'), time('expiresAt', 'never'), time('lastUsedAt', '-'), source]
}
