import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import { readLimit } from '#/cli/api-client/list-flags.ts'
import { ageCell, caveats, cell, clipped, cutSentence, MOST_ROWS, numberCell } from '#/cli/api-client/own-pools.ts'
import { printAnswers } from '#/cli/api-client/watch-answers.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Output, Section } from '#/cli/output/print-output.ts'
import type { Table } from '#/cli/output/table.ts'
import { at, listAt, numberAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { queueFlags } from './command.ts'

type Context = CommandContext<typeof queueFlags>

export async function run(context: Context): Promise<ExitCode> {
  const { pool, repository, limit } = context.flags
  const most = Math.min(MOST_ROWS, readLimit(limit))
  const question = { path: '/v1/queue', query: { pool, repository, limit: String(most) } }
  await using server = await openServer(context)
  return await printAnswers(context, async () => toOutput(await askDocument(server, question), context))
}

function toOutput(answer: unknown, { flags, clock }: Context): Output {
  const isWide = flags.output === 'wide'
  const jobs = Map.groupBy(listAt(answer, 'jobs'), (job) => textAt(job, 'pool'))
  const queues = listAt(answer, 'pools').filter((pool) => (numberAt(pool, 'waiting') ?? 0) > 0)
  const tables = queues.map((pool): Section => {
    const own = jobs.get(textAt(pool, 'pool')) ?? []
    return { title: describePool(pool), table: isWide ? wideTable(own) : narrowTable(own, clock.now()) }
  })
  const { schemaVersion: _version, ...data } = toFields(answer)
  const sections = [
    ...caveats(answer, at(answer, 'dispatch') === true),
    ...(tables.length === 0 ? [{ text: 'No job waits.' }] : tables),
    ...(at(answer, 'truncated') === true ? [{ text: 'There are more: --limit, --pool, --repository.' }] : []),
    ...describeBreakers(listAt(answer, 'breakers')),
    ...describeUnmatched(listAt(answer, 'unmatched'), isWide ? null : clock.now()),
  ]
  return { data, sections }
}

function describePool(pool: unknown): string {
  const pods = (['starting', 'idle', 'busy'] as const).map((state) => `${numberCell(pool, 'replicas', state)} ${state}`)
  const room = `room for ${numberCell(pool, 'room')} more`
  const who = textAt(pool, 'registration') === 'organization' ? '; GitHub decides who gets which' : ''
  return `${clipped(pool, WIDTHS.pool, 'pool')}: ${numberCell(pool, 'waiting')} waiting; pods: ${pods.join(', ')}, ${room}${who}`
}

const LINE = 120
const GAP = 3
const WIDTHS = { pool: 40, job: 12, repository: 24, why: 50 } as const

/** One line of 120 columns for each job: the sentence gets what the other columns leave. */
function narrowTable(jobs: readonly unknown[], now: number): Table {
  const columns = ['place', 'job', 'repository', 'age', 'why']
  const rows = jobs.map((job) => [
    numberCell(job, 'place'),
    numberCell(job, 'id').slice(0, WIDTHS.job),
    clipped(job, WIDTHS.repository, 'repository'),
    ageCell(job, 'queuedAt', now),
  ])
  const used = columns.slice(0, -1).map((name, index) => {
    const cells = rows.map((row) => row[index]?.length ?? 0)
    return GAP + cells.reduce((widest, length) => Math.max(widest, length), name.length)
  })
  const left = used.reduce((rest, width) => rest - width, LINE)
  for (const [index, row] of rows.entries()) row.push(cutSentence(cell(jobs[index], 'why'), left))
  return { columns, rows }
}

function wideTable(jobs: readonly unknown[]): Table {
  return {
    columns: ['place', 'job', 'repository', 'workflow', 'name', 'labels', 'queued', 'returns', 'waits for', 'why'],
    rows: jobs.map((job) => [
      numberCell(job, 'place'),
      numberCell(job, 'id'),
      ...['repository', 'workflow', 'name'].map((name) => cell(job, name)),
      listAt(job, 'labels').join(','),
      cell(job, 'queuedAt'),
      numberCell(job, 'recoveries'),
      ...['waits', 'why'].map((name) => cell(job, name)),
    ]),
  }
}

function describeBreakers(breakers: readonly unknown[]): readonly Section[] {
  if (breakers.length === 0) return []
  const rows = breakers.map((one) => [
    clipped(one, 40, 'key'),
    cell(one, 'until'),
    cutSentence(cell(one, 'why'), WIDTHS.why),
  ])
  return [{ title: 'Open breakers', table: { columns: ['key', 'until', 'why'], rows } }]
}

/** `now` null: the wide table. */
function describeUnmatched(unmatched: readonly unknown[], now: number | null): readonly Section[] {
  if (unmatched.length === 0) return []
  const rows = unmatched.map((one) => [
    numberCell(one, 'job'),
    now === null ? cell(one, 'repository') : clipped(one, WIDTHS.repository, 'repository'),
    now === null ? cell(one, 'receivedAt') : ageCell(one, 'receivedAt', now),
    cell(one, 'outcome'),
    now === null ? cell(one, 'why') : cutSentence(cell(one, 'why'), WIDTHS.why),
  ])
  const columns = ['job', 'repository', now === null ? 'received' : 'age', 'outcome', 'why']
  return [{ title: 'Webhooks that fitted nothing, the latest first', table: { columns, rows } }]
}
