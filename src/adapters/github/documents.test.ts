import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import type { GitHubWorld } from '#test/contracts/github-world.ts'

const REPO = 'acme/api'

describe('the documents of a run', () => {
  let world: GitHubWorld
  beforeEach(async () => {
    world = await startGitHubWorld()
  })
  afterEach(() => world[Symbol.asyncDispose]())

  /** Two attempts of a run of one job. */
  function runTwice() {
    const { sim } = world
    const first = sim.world.queueJob({ repository: REPO, labels: ['none'] })
    sim.world.completeJob(first.id, { conclusion: 'cancelled' })
    const [second] = sim.world.rerun(first.run, () => true)
    return { run: first.run, first: first.id, second: second?.id }
  }

  it('are the jobs of its latest attempt, of one attempt, or of all', async () => {
    const { run, first, second } = runTwice()
    const ids = async (attempt?: number | 'all') => {
      const jobs = await world.github.documents.jobsOfRun(REPO, run, { attempt })
      return jobs.kind === 'seen' ? jobs.value.map(({ id }) => id) : jobs
    }
    expect([await ids(), await ids(1), await ids(2), await ids('all')]).toEqual([
      [second],
      [first],
      [second],
      [first, second],
    ])
    expect(await ids(3)).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
  })

  it('are each what a single job is', async () => {
    const { run, first } = runTwice()
    const [jobs, job] = await Promise.all([
      world.github.documents.jobsOfRun(REPO, run, { attempt: 1 }),
      world.github.documents.job(REPO, first),
    ])
    expect(jobs).toEqual({ kind: 'seen', value: job.kind === 'seen' ? [job.value] : [] })
  })

  it('are asked of the attempt that is meant', async () => {
    const { run } = runTwice()
    expect(await world.github.documents.run(REPO, run)).toMatchObject({ kind: 'seen', value: { run_attempt: 2 } })
    await world.github.documents.run(REPO, run, { attempt: 1 })
    expect(world.requests).toContain(`GET /repos/${REPO}/actions/runs/${run}/attempts/1`)
  })
})
