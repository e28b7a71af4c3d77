import { describe, expect, it } from 'vitest'
import { createCheckedSim } from '#test/github/checked-sim.ts'

const RUNS = '/repos/acme/api/actions/runs'
const TWO_JOBS = {
  repository: 'acme/api',
  jobs: [
    { name: 'build', labels: [] },
    { name: 'test', labels: [] },
  ],
}

describe('the list of runs', () => {
  it('is newest first, in pages, and narrowed by status or conclusion', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const [first, second, third] = [1, 2, 3].map(() => sim.world.queueJob({ repository: 'acme/api', labels: [] }))
    sim.world.queueJob({ repository: 'acme/web', labels: [] })
    sim.world.completeJob(second!.id, { conclusion: 'cancelled' })
    expect((await asInstallation('GET', `${RUNS}?per_page=2`)).body).toMatchObject({
      total_count: 3,
      workflow_runs: [
        { id: third!.run, run_number: 3 },
        { id: second!.run, status: 'completed', conclusion: 'cancelled' },
      ],
    })
    const queued = await asInstallation('GET', `${RUNS}?status=queued&per_page=1`)
    expect(queued.body).toMatchObject({ total_count: 2, workflow_runs: [{ id: third!.run }] })
    expect(queued.headers.get('link')).toContain('page=2')
    expect((await asInstallation('GET', `${RUNS}?status=cancelled`)).body).toMatchObject({ total_count: 1 })
    expect((await asInstallation('GET', `${RUNS}?branch=other`)).body).toMatchObject({ total_count: 0 })
    expect((await asInstallation('GET', `${RUNS}/${first!.run}`)).body).toMatchObject({
      id: first!.run,
      run_attempt: 1,
    })
    expect((await asInstallation('GET', `${RUNS}/1`)).status).toBe(404)
  })
})

describe('the attempts of a run', () => {
  it('carry over what went well and queue the rest under new ids', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const { run, jobs } = sim.world.queueRun(TWO_JOBS)
    expect(await asInstallation('POST', `${RUNS}/${run.id}/rerun-failed-jobs`)).toMatchObject({
      status: 403,
      body: { message: 'This workflow is already running' },
    })
    sim.world.completeJob(jobs[0]!.id, { conclusion: 'success' })
    sim.world.completeJob(jobs[1]!.id, { conclusion: 'cancelled' })
    expect((await asInstallation('POST', `${RUNS}/${run.id}/rerun-failed-jobs`)).status).toBe(201)
    const latest = await asInstallation('GET', `${RUNS}/${run.id}/jobs`)
    expect(latest.body).toMatchObject({
      total_count: 2,
      jobs: [
        { name: 'build', run_attempt: 2, status: 'completed' },
        { name: 'test', run_attempt: 2, status: 'queued' },
      ],
    })
    expect((await asInstallation('GET', `${RUNS}/${run.id}/jobs?filter=all`)).body).toMatchObject({ total_count: 4 })
    expect((await asInstallation('GET', `${RUNS}/${run.id}/attempts/1/jobs`)).body).toMatchObject({
      jobs: jobs.map(({ id }) => ({ id, run_attempt: 1, status: 'completed' })),
    })
    expect((await asInstallation('GET', `${RUNS}/${run.id}/attempts/3/jobs`)).status).toBe(404)
    expect((await asInstallation('GET', `${RUNS}/${run.id}`)).body).toMatchObject({
      run_attempt: 2,
      status: 'in_progress',
      conclusion: null,
    })
  })

  it('rerun as a whole queue every job again', async () => {
    const { sim, asInstallation } = createCheckedSim()
    const { run, jobs } = sim.world.queueRun(TWO_JOBS)
    for (const job of jobs) sim.world.completeJob(job.id, { conclusion: 'success' })
    expect((await asInstallation('POST', `${RUNS}/${run.id}/rerun-failed-jobs`)).status).toBe(403)
    expect((await asInstallation('POST', `${RUNS}/${run.id}/rerun`)).status).toBe(201)
    expect(sim.world.jobs().filter((job) => job.status === 'queued')).toHaveLength(2)
  })
})

describe('the cancellation of a run', () => {
  it.each(['cancel', 'force-cancel'])('by %s ends all its jobs, once', async (verb) => {
    const { sim, asInstallation } = createCheckedSim()
    const { run } = sim.world.queueRun(TWO_JOBS)
    expect((await asInstallation('POST', `${RUNS}/${run.id}/${verb}`)).status).toBe(202)
    expect(sim.world.run(run.id)).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
    expect(await asInstallation('POST', `${RUNS}/${run.id}/${verb}`)).toMatchObject({
      status: 409,
      body: { message: 'Cannot cancel a workflow run that is completed.' },
    })
  })
})
