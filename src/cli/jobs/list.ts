import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import { readLimit } from '#/cli/api-client/list-flags.ts'
import { ageCell, cell, clipped, MOST_ROWS, numberCell } from '#/cli/api-client/own-pools.ts'
import { printAnswers } from '#/cli/api-client/watch-answers.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Output } from '#/cli/output/print-output.ts'
import type { Table } from '#/cli/output/table.ts'
import { at, listAt } from '#/core/basics/fields.ts'
import type { listFlags } from './command.ts'

type Context = CommandContext<typeof listFlags>

const UNFINISHED = 'queued,parked,claimed,minted,executing'

export async function run(context: Context): Promise<ExitCode> {
  const { pool, repository, limit, state = UNFINISHED } = context.flags
  const most = String(Math.min(MOST_ROWS, readLimit(limit)))
  const asked = state === 'all' ? undefined : state
  const question = { path: '/v1/jobs', query: { pool, repository, state: asked, limit: most } }
  await using server = await openServer(context)
  return await printAnswers(context, async () => toOutput(await askDocument(server, question), context))
}

function toOutput(answer: unknown, { flags, clock }: Context): Output {
  const jobs = listAt(answer, 'jobs')
  const truncated = at(answer, 'truncated') === true
  const table = flags.output === 'wide' ? wideTable(jobs) : narrowTable(jobs, clock.now())
  return {
    data: { jobs, truncated },
    sections: [
      jobs.length === 0 ? { text: 'There are no such jobs.' } : { table },
      ...(truncated ? [{ text: 'There are more: --limit, --state, --pool, --repository.' }] : []),
    ],
  }
}

/** The widths of a row add up to 120 columns with the gaps between them. */
const WIDTHS = { job: 12, repository: 24, name: 18, pool: 18, runner: 17 } as const

function narrowTable(jobs: readonly unknown[], now: number): Table {
  return {
    columns: ['job', 'state', 'age', 'repository', 'name', 'pool', 'runner'],
    rows: jobs.map((job) => [
      numberCell(job, 'id').slice(0, WIDTHS.job),
      cell(job, 'state'),
      ageCell(job, 'queuedAt', now),
      ...(['repository', 'name', 'pool'] as const).map((name) => clipped(job, WIDTHS[name], name)),
      clipped(job, WIDTHS.runner, 'runner', 'name'),
    ]),
  }
}

function wideTable(jobs: readonly unknown[]): Table {
  const texts = ['repository', 'workflow', 'name', 'pool', 'queuedAt', 'since'] as const
  return {
    columns: ['job', 'state', ...texts, 'labels', 'returns', 'slot', 'runner', 'conclusion'],
    rows: jobs.map((job) => [
      numberCell(job, 'id'),
      cell(job, 'state'),
      ...texts.map((name) => cell(job, name)),
      listAt(job, 'labels').join(','),
      numberCell(job, 'recoveries'),
      cell(job, 'slot'),
      cell(job, 'runner', 'name'),
      cell(job, 'conclusion'),
    ]),
  }
}
