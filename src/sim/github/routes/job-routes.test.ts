import { describe, expect, it } from 'vitest'
import type { CheckedSim } from '#test/github/checked-sim.ts'
import { createCheckedSim } from '#test/github/checked-sim.ts'

const JOBS = '/repos/acme/api/actions/jobs'
const LINUX = { repository: 'acme/api', labels: ['linux'] }

describe('a job as the API describes it', () => {
  it('has no runner until one takes it, and keeps its name after the runner is gone', async () => {
    const checked = createCheckedSim()
    const { sim, clock, asInstallation } = checked
    const job = sim.world.queueJob(LINUX)
    const path = `${JOBS}/${job.id}`
    expect((await asInstallation('GET', path)).body).toMatchObject({
      status: 'queued',
      conclusion: null,
      runner_id: null,
    })
    const runner = runnerTakes(checked, 'r1')
    clock.advance(5_000)
    sim.world.beginStep(job.id, 'Run tests')
    expect((await asInstallation('GET', path)).body).toMatchObject({
      status: 'in_progress',
      runner_id: runner,
      runner_name: 'r1',
      steps: [
        { name: 'Set up job', status: 'completed', conclusion: 'success' },
        { name: 'Run tests', status: 'in_progress', conclusion: null },
      ],
    })
    sim.world.completeJob(job.id, { conclusion: 'failure' })
    expect((await asInstallation('GET', path)).body).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      runner_name: 'r1',
      steps: [{}, { conclusion: 'failure' }, { name: 'Complete job', conclusion: 'success' }],
    })
    expect((await asInstallation('GET', `/orgs/acme/actions/runners/${runner}`)).status).toBe(404)
  })

  it('has runner 0 when it ended without one', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const job = sim.world.queueJob(LINUX)
    sim.world.completeJob(job.id, { conclusion: 'cancelled' })
    expect((await asInstallation('GET', `${JOBS}/${job.id}`)).body).toMatchObject({ runner_id: 0, runner_name: '' })
  })

  it('is in its own repository only', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const job = sim.world.queueJob(LINUX)
    for (const path of [`/repos/acme/web/actions/jobs/${job.id}`, `${JOBS}/1`, `${JOBS}/x`]) {
      expect((await asInstallation('GET', path)).status).toBe(404)
    }
    expect((await asInstallation('GET', `/repos/acme/web/actions/runs/${job.run}/jobs`)).status).toBe(404)
  })
})

describe('the log of a job', () => {
  it('lies behind a link that is good for a minute', async () => {
    const checked = createCheckedSim()
    const { sim, clock, asInstallation, call } = checked
    const job = sim.world.queueJob(LINUX)
    runnerTakes(checked, 'r1')
    sim.world.completeJob(job.id, { conclusion: 'success', log: 'all is well\n' })
    const answer = await asInstallation('GET', `${JOBS}/${job.id}/logs`)
    expect(answer.status).toBe(302)
    const link = toPath(answer.headers.get('location'))
    expect(await call('GET', link)).toMatchObject({ status: 200, body: 'all is well\n' })
    expect((await call('GET', link.replace(/sig=..../, 'sig=0000'))).status).toBe(403)
    clock.advance(60_000)
    expect((await call('GET', link)).status).toBe(403)
  })

  it('is not in the storage when the runner never uploaded it', async () => {
    const { sim, asInstallation, call } = createCheckedSim()
    const job = sim.world.queueJob(LINUX)
    const answer = await asInstallation('GET', `${JOBS}/${job.id}/logs`)
    const stored = await call('GET', toPath(answer.headers.get('location')))
    expect(stored.status).toBe(404)
    expect(stored.body).toContain('<Code>BlobNotFound</Code>')
  })

  it('is gone when GitHub has deleted it', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const job = sim.world.queueJob(LINUX)
    sim.world.expireLog(job.id)
    expect((await asInstallation('GET', `${JOBS}/${job.id}/logs`)).status).toBe(410)
    expect((await asInstallation('GET', `${JOBS}/1/logs`)).status).toBe(404)
  })
})

describe('the rerun of a job', () => {
  it('waits for the end of the run, then makes a new attempt with new ids', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const { run, jobs } = sim.world.queueRun({
      repository: 'acme/api',
      jobs: [
        { name: 'a', labels: [] },
        { name: 'b', labels: [] },
      ],
    })
    const [a, b] = jobs.map((job) => job.id)
    sim.world.completeJob(a!, { conclusion: 'cancelled' })
    expect(await asInstallation('POST', `${JOBS}/${a}/rerun`)).toMatchObject({
      status: 403,
      body: { message: 'The workflow run containing this job is already running' },
    })
    sim.world.completeJob(b!, { conclusion: 'skipped' })
    expect((await asInstallation('POST', `${JOBS}/${a}/rerun`)).status).toBe(201)
    const latest = sim.world.jobsOfRun(run.id).filter((job) => job.attempt === 2)
    expect(latest.map(({ name, status }) => ({ name, status }))).toEqual([
      { name: 'b', status: 'completed' },
      { name: 'a', status: 'queued' },
    ])
    expect(latest.some((job) => job.id === a || job.id === b)).toBe(false)
    expect((await asInstallation('POST', `${JOBS}/1/rerun`)).status).toBe(404)
  })
})

function runnerTakes({ sim }: CheckedSim, name: string): number {
  const outcome = sim.world.registerRunner({
    name,
    labels: ['linux'],
    ephemeral: true,
    scope: { kind: 'organization', login: 'acme' },
  })
  if (outcome.kind !== 'registered') throw new Error(outcome.kind)
  sim.world.runnerComesOnline(outcome.runner.id)
  for (const { job } of sim.world.assign()) sim.world.startJob(job.id)
  return outcome.runner.id
}

function toPath(location: string | null): string {
  const url = new URL(location ?? '')
  return `${url.pathname}${url.search}`
}
