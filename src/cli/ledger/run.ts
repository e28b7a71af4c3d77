import { openServer, readPages } from '#/cli/api-client/ask-server.ts'
import type { Question } from '#/cli/api-client/ask-server.ts'
import { readLimit, readMoment } from '#/cli/api-client/list-flags.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Section } from '#/cli/output/print-output.ts'
import { readFolderLedger } from '#/adapters/act-folder/folder-ledger.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { toLedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { LedgerFilter } from '#/ports/store/ledger.ts'
import { listAt } from '#/core/basics/fields.ts'
import type { LedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { ledgerFlags } from './command.ts'
import { describeLedger, narrowLedger } from './ledger-table.ts'

type Context = CommandContext<typeof ledgerFlags>

export async function run(context: Context): Promise<ExitCode> {
  const { flags, terminal } = context
  const most = readLimit(flags.limit)
  const { evidence } = flags
  const listed = evidence === undefined ? await askRows(context, most) : await readRows(context, evidence, most)
  const sections = [listed.length === 0 ? { text: describeNone(context) } : toSection(listed, context)]
  await printOutput(terminal, flags.output, { data: { ledger: listed }, sections })
  return EXIT.ok
}

function toSection(listed: readonly LedgerDocument[], { flags, clock }: Context): Section {
  return flags.output === 'wide' ? { text: describeLedger(listed) } : { table: narrowLedger(listed, clock.now()) }
}

function describeNone({ flags: { subject } }: Context): string {
  const none = 'No attempts in that time.'
  if (subject === undefined) return none
  return `${none}\n--subject takes a whole name. A runner that went with its wedged set is in the row of the set: --subject SET.`
}

async function askRows(context: Context, most: number): Promise<readonly LedgerDocument[]> {
  const question: Question = { path: '/v1/ledger', query: toQuery(context) }
  await using server = await openServer(context)
  const rows: LedgerDocument[] = []
  for await (const page of readPages(server, question)) {
    rows.push(...(listAt(page, 'ledger') as readonly LedgerDocument[]))
    if (rows.length >= most) break
  }
  return rows.slice(0, most)
}

async function readRows(context: Context, folder: string, limit: number): Promise<readonly LedgerDocument[]> {
  const reading = await readFolderLedger(folder)
  if (reading.kind === 'unreadable')
    throw new CommandFailure(EXIT.blind, reading.why, ['use another folder: --evidence'])
  const { since, until, ...asked } = toQuery(context)
  const times = { since: Number(since), ...(until === undefined ? {} : { until: Number(until) }) }
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  const rows = await reading.list({ ...times, ...(Object.fromEntries(given) as Partial<LedgerFilter>), limit })
  return rows.map(toLedgerDocument)
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
