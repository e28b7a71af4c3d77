import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import { caveats, cell, clipped, cutSentence, numberCell } from '#/cli/api-client/own-pools.ts'
import { printAnswers } from '#/cli/api-client/watch-answers.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Output, Section } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Table } from '#/cli/output/table.ts'
import { at, listAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { poolsFlags } from './command.ts'

type Context = CommandContext<typeof poolsFlags>

export async function run(context: Context): Promise<ExitCode> {
  const { pool } = context.flags
  await using server = await openServer(context)
  const question = { path: '/v1/pools', query: { pool } }
  return await printAnswers(context, async () => toOutput(await askDocument(server, question), context))
}

function toOutput(answer: unknown, { flags }: Context): Output {
  const { schemaVersion: _version, ...data } = toFields(answer)
  const pools = listAt(answer, 'pools')
  const isWide = flags.output === 'wide'
  const isDispatching = at(answer, 'dispatch') === true
  const none: Section = { text: 'No pool is declared: docs/pools.md.' }
  return {
    data,
    sections: [
      ...caveats(answer, isDispatching),
      ...(pools.length === 0
        ? isDispatching
          ? [none]
          : []
        : [{ table: isWide ? wideTable(pools) : narrowTable(pools) }]),
      ...pools.flatMap((pool) => describeProblems(pool, isWide)),
    ],
  }
}

/** The widths of a row add up to 120 columns with the gaps between them. */
const WIDTHS = { pool: 28, labels: 14, problem: 120 } as const
const REPLICAS = ['starting', 'idle', 'busy', 'terminating'] as const

function narrowTable(pools: readonly unknown[]): Table {
  return {
    columns: ['pool', 'ready', ...REPLICAS, 'max', 'queued', 'withheld', 'labels'],
    rows: pools.map((pool) => [clipped(pool, WIDTHS.pool, 'pool'), ...toNumbers(pool), toLabels(pool, WIDTHS.labels)]),
  }
}

function wideTable(pools: readonly unknown[]): Table {
  return {
    columns: ['pool', 'ready', ...REPLICAS, 'max', 'queued', 'withheld', 'warm', 'github', 'credential', 'labels'],
    rows: pools.map((pool) => [
      cell(pool, 'pool'),
      ...toNumbers(pool),
      numberCell(pool, 'size', 'warm'),
      describeGitHub(pool),
      cell(pool, 'github', 'credential'),
      toLabels(pool, Infinity),
    ]),
  }
}

function toNumbers(pool: unknown): readonly string[] {
  return [
    readiness(pool),
    ...REPLICAS.map((state) => numberCell(pool, 'replicas', state)),
    numberCell(pool, 'size', 'max'),
    numberCell(pool, 'queued', 'dispatchable'),
    numberCell(pool, 'queued', 'withheld'),
  ]
}

/** A pool from a file has no conditions. */
function readiness(pool: unknown): string {
  if (listAt(pool, 'problems').length > 0) return 'mistakes'
  if (at(pool, 'deleting') === true) return 'deleting'
  const ready = listAt(pool, 'conditions').find((one) => textAt(one, 'type') === 'Ready')
  return ready === undefined ? '-' : cell(ready, 'status').slice(0, 8)
}

function toLabels(pool: unknown, most: number): string {
  return cutSentence(printable(listAt(pool, 'labels').join(',')), most) || '-'
}

function describeGitHub(pool: unknown): string {
  const repositories = listAt(pool, 'github', 'repositories').join(',')
  const owner = cell(pool, 'github', 'owner')
  return repositories === '' ? owner : `${owner}: ${printable(repositories)}`
}

/** What is wrong with it; in the wide form every condition. */
function describeProblems(pool: unknown, isWide: boolean): readonly Section[] {
  const conditions = listAt(pool, 'conditions')
    .filter((one) => isWide || textAt(one, 'status') === (textAt(one, 'type') === 'Degraded' ? 'True' : 'False'))
    .map((one) => `${cell(one, 'type')} is ${cell(one, 'status')} (${cell(one, 'reason')}): ${cell(one, 'message')}`)
  const problems = listAt(pool, 'problems').map((problem) => printable(String(problem)))
  const lines = [...problems, ...conditions].map((line) => `${cell(pool, 'pool')}: ${line}`)
  return lines.map((line) => ({ text: isWide ? line : cutSentence(line, WIDTHS.problem) }))
}
