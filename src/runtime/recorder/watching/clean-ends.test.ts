import { describe, expect, it, vi } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { Budget, GitHub, WorkflowJob } from '#/ports/github.ts'
import { createCleanEnds } from './clean-ends.ts'
import type { CleanEnd } from './clean-ends.ts'

const MINUTE = 60_000
const JOB: RecordedJob = { id: null, name: 'build', repository: 'acme/app', workflow: null, runId: 7, url: null }

type Rows = Awaited<ReturnType<GitHub['jobs']['ofRun']>>
const working = (runner: string, status = 'in_progress') => ({ status, runner: { id: 1, name: runner } }) as WorkflowJob

/** Time passes when the loop sleeps; it stops when nothing is due any more. */
async function lookUp(ends: readonly Partial<CleanEnd>[], rows: Rows, budgets: readonly Partial<Budget>[] = []) {
  const over = new AbortController()
  let now = 0
  const asked: string[] = []
  const reopened: string[] = []
  const ofRun = async (repository: string, run: number): Promise<Rows> => {
    asked.push(`${repository} ${run} at ${now / 1000}`)
    return rows
  }
  const github = { jobs: { ofRun }, access: { budgets: () => budgets } } as unknown as GitHub
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
      if (now > 5 * MINUTE) over.abort()
    },
  }
  const cleanEnds = createCleanEnds({ github, clock })
  for (const [index, end] of ends.entries()) {
    const runner = end.runner ?? `r${index + 1}`
    cleanEnds.hold({ runner, endedAt: 0, job: JOB, bytes: 10, reopen: () => reopened.push(runner), ...end })
  }
  await cleanEnds.run(over.signal)
  return { asked, reopened }
}

describe('clean ends', () => {
  it('are looked up once, a minute later, and one request serves all runners of a run', async () => {
    const ends = [{}, {}, { job: { ...JOB, runId: 8 } }]
    const { asked, reopened } = await lookUp(ends, seen([working('r1'), working('r2', 'completed')]))
    expect(asked).toEqual(['acme/app 7 at 75', 'acme/app 8 at 75'])
    expect(reopened).toEqual(['r1'])
  })

  it.each<[string, readonly Partial<CleanEnd>[], Rows, readonly Partial<Budget>[]]>([
    ['no run is known', [{ job: null }, { job: { ...JOB, runId: null } }], seen([working('r1')]), []],
    ['the repository is not a name', [{ job: { ...JOB, repository: 'acme/app/../x' } }], seen([working('r1')]), []],
    ['GitHub does not answer', [{}], blind('timeout', 'x'), []],
    [
      'the budget is nearly spent',
      [{}],
      seen([working('r1')]),
      [{ remaining: 100, limit: 5000, resetAt: 1e12, heldUntil: null }],
    ],
    [
      'GitHub holds us back',
      [{}],
      seen([working('r1')]),
      [{ remaining: 5000, limit: 5000, resetAt: 0, heldUntil: 1e12 }],
    ],
    ['another runner has the job', [{}], seen([working('r2')]), []],
  ])('stay as they are where %s', async (_why, ends, rows, budgets) => {
    const { reopened } = await lookUp(ends, rows, budgets)
    expect(reopened).toEqual([])
  })

  it('give up the oldest where they take too much memory', async () => {
    const ends = [{ bytes: 12 * 1024 * 1024 }, { bytes: 12 * 1024 * 1024 }]
    const { reopened } = await lookUp(ends, seen([working('r1'), working('r2')]))
    expect(reopened).toEqual(['r2'])
  })

  it('are not kept without GitHub', async () => {
    const reopen = vi.fn()
    const over = new AbortController()
    const clock = { now: () => 1e9, sleep: async () => over.abort() }
    const cleanEnds = createCleanEnds({ github: null, clock })
    cleanEnds.hold({ runner: 'r1', endedAt: 0, job: JOB, bytes: 1, reopen })
    await cleanEnds.run(over.signal)
    expect(reopen).not.toHaveBeenCalled()
  })
})
