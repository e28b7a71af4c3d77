import { openServer, readPages } from '#/cli/api-client/ask-server.ts'
import type { Question } from '#/cli/api-client/ask-server.ts'
import { readLimit, readMoment } from '#/cli/api-client/list-flags.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { listAt } from '#/core/basics/fields.ts'
import type { LedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { ledgerFlags } from './command.ts'
import { narrowLedger, wideLedger } from './ledger-table.ts'

type Context = CommandContext<typeof ledgerFlags>

export async function run(context: Context): Promise<ExitCode> {
  const { flags, terminal, clock } = context
  const most = readLimit(flags.limit)
  const question: Question = { path: '/v1/ledger', query: toQuery(context) }
  await using server = await openServer(context)
  const rows: LedgerDocument[] = []
  for await (const page of readPages(server, question)) {
    rows.push(...(listAt(page, 'ledger') as readonly LedgerDocument[]))
    if (rows.length >= most) break
  }
  const listed = rows.slice(0, most)
  const table = flags.output === 'wide' ? wideLedger(listed) : narrowLedger(listed, clock.now())
  const sections = [listed.length === 0 ? { text: 'No attempts in that time.' } : { table }]
  await printOutput(terminal, flags.output, { data: { ledger: listed }, sections })
  return EXIT.ok
}

function toQuery({ flags, clock }: Context): NonNullable<Question['query']> {
  const now = clock.now()
  const { act, actor, until, subject } = flags
  return {
    since: String(readMoment('since', flags.since, now)),
    until: until === undefined ? undefined : String(readMoment('until', until, now)),
    act,
    actor,
    outcome: flags.refused ? 'refused' : flags.outcome,
    // The wide list prints KIND NAMESPACE/NAME.
    name: subject?.slice(subject.lastIndexOf('/') + 1),
  }
}
