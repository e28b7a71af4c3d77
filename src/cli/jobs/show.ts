import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import { ageCell, cell, clipped, cutSentence, numberCell } from '#/cli/api-client/own-pools.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Section } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Table } from '#/cli/output/table.ts'
import { at, listAt, numberAt, textAt, toFields } from '#/core/basics/fields.ts'
import { RETURNED } from '#/core/dispatch/explain-queue.ts'
import type { showFlags } from './command.ts'
import { readJobId } from './read-id.ts'

export async function run(context: CommandContext<typeof showFlags>): Promise<ExitCode> {
  const { args, flags, terminal, clock } = context
  const id = readJobId(args[0] ?? '')
  await using server = await openServer(context)
  const answer = await askDocument(server, { path: `/v1/jobs/${id}` })
  const { schemaVersion: _version, ...data } = toFields(answer)
  const history = listAt(answer, 'history')
  const sections: readonly Section[] = [
    { text: describeJob(at(answer, 'job'), clock.now()) },
    ...(at(answer, 'waiting') === null ? [] : [{ text: describeWait(at(answer, 'waiting')) }]),
    { title: 'History', table: historyTable(history, flags.output === 'wide') },
    ...(at(answer, 'truncated') === true ? [{ text: 'It has more rows; these are the latest.' }] : []),
  ]
  await printOutput(terminal, flags.output, { data, sections })
  return EXIT.ok
}

function describeJob(job: unknown, now: number): string {
  const where = `${cell(job, 'repository')}, workflow ${cell(job, 'workflow')}, run ${numberCell(job, 'runId')}`
  const attempt = `attempt ${numberCell(job, 'runAttempt')}`
  const labels = printable(listAt(job, 'labels').join(', '))
  const runner = textAt(job, 'runner', 'name') === null ? '' : ` on ${cell(job, 'runner', 'name')}`
  const end = textAt(job, 'conclusion') === null ? '' : `: ${cell(job, 'conclusion')}`
  return [
    `Job ${numberCell(job, 'id')} (${cell(job, 'name')}) of ${where}, ${attempt}`,
    `pool ${cell(job, 'pool')}; labels ${labels}; queued ${ageCell(job, 'queuedAt', now)} ago`,
    `${cell(job, 'state')}${runner}${end}; went back to the queue: ${numberCell(job, 'recoveries')}`,
  ].join('\n')
}

function describeWait(waiting: unknown): string {
  const place = numberAt(waiting, 'place')
  return `${place === null ? 'No place' : `Place ${place}`}: ${cell(waiting, 'why')}`
}

/** The widths of a row add up to 120 columns with the gaps between them. */
const WIDTHS = { by: 30, what: 36 } as const

function historyTable(history: readonly unknown[], isWide: boolean): Table {
  return {
    columns: ['at', 'event', 'state', 'by', 'what'],
    rows: history.map((row) => [
      cell(row, 'at'),
      cell(row, 'event'),
      cell(row, 'to'),
      isWide ? cell(row, 'by') : clipped(row, WIDTHS.by, 'by'),
      isWide ? describeEntry(row) : cutSentence(describeEntry(row), WIDTHS.what),
    ]),
  }
}

function describeEntry(row: unknown): string {
  const reason = textAt(row, 'reason')
  const pod = textAt(row, 'pod') ?? textAt(row, 'slot')
  const ledger = numberAt(row, 'ledger')
  const parts = [
    textAt(row, 'conclusion'),
    reason === null ? null : (Object.entries(RETURNED).find(([name]) => name === reason)?.[1] ?? reason),
    pod === null ? null : `pod ${pod}`,
    textAt(row, 'runner', 'name') === null ? null : `runner ${textAt(row, 'runner', 'name')}`,
    ledger === null ? null : `signalbox ledger: row ${ledger}`,
  ]
  return printable(parts.filter((part) => part !== null).join('; ')) || '-'
}
