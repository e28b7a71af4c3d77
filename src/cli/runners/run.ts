import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import { readLimit } from '#/cli/api-client/list-flags.ts'
import { ageCell, caveats, cell, clipped, MOST_ROWS, numberCell } from '#/cli/api-client/own-pools.ts'
import { printAnswers } from '#/cli/api-client/watch-answers.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { clip } from '#/cli/output/cells.ts'
import type { Output } from '#/cli/output/print-output.ts'
import type { Table } from '#/cli/output/table.ts'
import { at, listAt, numberAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { runnersFlags } from './command.ts'

type Context = CommandContext<typeof runnersFlags>

export async function run(context: Context): Promise<ExitCode> {
  const { pool, repository, state, limit } = context.flags
  const most = String(Math.min(MOST_ROWS, readLimit(limit)))
  const question = { path: '/v1/runners', query: { pool, repository, state, limit: most } }
  await using server = await openServer(context)
  return await printAnswers(context, async () => toOutput(await askDocument(server, question), context))
}

function toOutput(answer: unknown, { flags, clock }: Context): Output {
  const { schemaVersion: _version, ...data } = toFields(answer)
  const runners = listAt(answer, 'runners')
  const table = flags.output === 'wide' ? wideTable(runners) : narrowTable(runners, clock.now())
  return {
    data,
    sections: [
      ...caveats(answer, at(answer, 'dispatch') === true),
      runners.length === 0 ? { text: 'There are no such runners.' } : { table },
      ...(at(answer, 'truncated') === true
        ? [{ text: 'There are more: --limit, --state, --pool, --repository.' }]
        : []),
    ],
  }
}

/** The widths of a row add up to 120 columns with the gaps between them. */
const WIDTHS = { pod: 28, pool: 16, node: 14, job: 32 } as const

function narrowTable(runners: readonly unknown[], now: number): Table {
  return {
    columns: ['pod', 'pool', 'state', 'age', 'node', 'job'],
    rows: runners.map((runner) => [
      clipped(runner, WIDTHS.pod, 'pod'),
      clipped(runner, WIDTHS.pool, 'pool'),
      cell(runner, 'state'),
      ageCell(runner, 'appearedAt', now),
      clipped(runner, WIDTHS.node, 'node'),
      clip(describeJob(runner), WIDTHS.job),
    ]),
  }
}

function wideTable(runners: readonly unknown[]): Table {
  const texts = ['uid', 'pool', 'state', 'since', 'appearedAt', 'node', 'life'] as const
  return {
    columns: ['pod', ...texts, 'job', 'runner', 'id', 'obstacle'],
    rows: runners.map((runner) => [
      `${cell(runner, 'namespace')}/${cell(runner, 'pod')}`,
      ...texts.map((name) => cell(runner, name)),
      describeJob(runner),
      cell(runner, 'runner', 'name'),
      numberCell(runner, 'runner', 'id'),
      cell(runner, 'obstacle'),
    ]),
  }
}

function describeJob(runner: unknown): string {
  const name = (kind: 'executing' | 'intended'): string | null => {
    const id = numberAt(runner, kind, 'id')
    if (id === null) return null
    return textAt(runner, kind, 'repository') === null ? `${id}` : `${id} ${cell(runner, kind, 'repository')}`
  }
  const intended = name('intended')
  return name('executing') ?? (intended === null ? '-' : `(${intended})`)
}
