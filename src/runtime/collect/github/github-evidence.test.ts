import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import { buildCluster, gathered, object, paths, RUNNER, runnerPod } from '#test/collect/gathered.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import type { GitHubWorld } from '#test/contracts/github-world.ts'

const REPO = 'acme/api'

describe('evidence of GitHub', () => {
  let world: GitHubWorld
  let attempts: Record<string, object>
  const answerAttempts =
    (next: FetchHandler): FetchHandler =>
    async (request) => {
      const known = attempts[new URL(request.url).pathname]
      return known === undefined ? next(request) : Response.json(known)
    }
  beforeEach(async () => {
    attempts = {}
    world = await startGitHubWorld({ around: answerAttempts })
  })
  afterEach(() => world[Symbol.asyncDispose]())

  /** A run of two jobs: the first failed on our runner, the other went well on another one. */
  function runOfTwo() {
    const { world: github } = world.sim
    const { run, jobs } = github.queueRun({ repository: REPO, jobs: [{ labels: ['a'] }, { labels: ['b'] }] })
    for (const [index, job] of jobs.entries()) {
      const name = index === 0 ? RUNNER : 'other-runner'
      const scope = { kind: 'organization', login: 'acme' } as const
      const registered = github.registerRunner({ name, scope, labels: [index === 0 ? 'a' : 'b'] })
      if (registered.kind !== 'registered') throw new Error(registered.kind)
      github.runnerComesOnline(registered.runner.id)
      github.assign()
      github.startJob(job.id)
      github.completeJob(job.id, { conclusion: index === 0 ? 'failure' : 'success', log: 'one\ntwo\n' })
    }
    const [failed, passed] = jobs
    if (failed === undefined || passed === undefined) throw new Error('a run of two jobs has two')
    github.annotate(failed.id, { level: 'failure', message: 'lost', title: null, path: '.github' })
    return { run, failed, passed }
  }

  it('of a job is the job, its run, annotations, log, the runners and the budget', async () => {
    const { run, failed } = runOfTwo()
    const { kubernetes } = buildCluster({ pods: [runnerPod] })
    const subject: SubjectArgument = { kind: 'job', site: null, repository: REPO, id: failed.id }
    const result = await gathered({ kubernetes, subject }, world)
    expect(paths(result.files, 'github/')).toEqual(
      [
        `github/annotations/${failed.id}.json`,
        `github/jobs/${failed.id}.json`,
        `github/logs/${failed.id}.log`,
        'github/rate-limit.json',
        'github/runners.json',
        `github/runs/${run.id}.json`,
      ].toSorted(),
    )
    expect(result.files.get(`github/logs/${failed.id}.log`)).toBe('one\ntwo\n')
    expect(result.subject).toEqual({
      namespace: 'runners',
      pod: RUNNER,
      uid: `uid-${RUNNER}`,
      node: 'n1',
      container: 'runner',
      runner: RUNNER,
      jobId: failed.id,
      runId: run.id,
    })
    expect(paths(result.files, 'logs/')).toEqual([`logs/runners/${RUNNER}/runner.log`])
  })

  it('of a job is found in the repositories that are named, and is blind without any', async () => {
    const { failed } = runOfTwo()
    const subject: SubjectArgument = { kind: 'job', site: null, repository: null, id: failed.id }
    const unplaced = await gathered({ subject }, world)
    expect(unplaced.sources['github/jobs']).toMatch(/^not-asked: the repository of job/)
    expect(unplaced.evidence.hasLooked()).toBe(false)
    world.sim.world.addRepository('acme/first')
    const places = { namespaces: [], isInsideOnly: false, repositories: ['acme/first', REPO], organizations: [] }
    const placed = await gathered({ subject, places }, world)
    expect(placed.files.has(`github/jobs/${failed.id}.json`)).toBe(true)
    const elsewhere = await gathered({ subject: { ...subject, repository: 'acme/first' } }, world)
    expect(elsewhere.sources['github/jobs']).toMatch(/^expired: GitHub has no job/)
  })

  it('of a run is all of its jobs, with the logs of those that did not go well', async () => {
    const { run, failed, passed } = runOfTwo()
    const subject: SubjectArgument = { kind: 'run', site: null, repository: REPO, id: run.id, attempt: null }
    const result = await gathered({ subject }, world)
    expect(paths(result.files, 'github/jobs/')).toHaveLength(2)
    expect(paths(result.files, 'github/logs/')).toEqual([`github/logs/${failed.id}.log`])
    expect(result.meta.sources.get('github/logs')).toMatchObject({ coverage: { remark: 'of 1 jobs of 2' } })
    expect(result.subject).toEqual({ runId: run.id })
    expect([result.evidence.unfound(), result.evidence.isKnown()]).toEqual([[RUNNER, 'other-runner'], true])
    expect(result.files.has(`github/annotations/${passed.id}.json`)).toBe(false)
  })

  it('of an earlier attempt is that attempt’s run and jobs', async () => {
    const { run, failed } = runOfTwo()
    world.sim.world.rerun(run.id, (job) => job.id === failed.id)
    attempts[`/repos/${REPO}/actions/runs/${run.id}/attempts/1`] = { id: run.id, run_attempt: 1, conclusion: 'failure' }
    const subject: SubjectArgument = { kind: 'run', site: null, repository: REPO, id: run.id, attempt: 1 }
    const first = await gathered({ subject }, world)
    expect(first.files.has(`github/jobs/${failed.id}.json`)).toBe(true)
    expect(JSON.parse(first.files.get(`github/runs/${run.id}.json`) ?? '')).toMatchObject({ run_attempt: 1 })
    const latest = await gathered({ subject: { ...subject, attempt: null } }, world)
    expect(latest.files.has(`github/jobs/${failed.id}.json`)).toBe(false)
    expect(JSON.parse(latest.files.get(`github/runs/${run.id}.json`) ?? '')).toMatchObject({ run_attempt: 2 })
  })

  it('of a pod is found by ARC’s record of its runner, also where the run was run again', async () => {
    const { run, failed } = runOfTwo()
    world.sim.world.rerun(run.id, (job) => job.id === failed.id)
    attempts[`/repos/${REPO}/actions/runs/${run.id}/attempts/1`] = { id: run.id, run_attempt: 1 }
    const status = { jobRepositoryName: REPO, workflowRunId: run.id, runnerName: RUNNER }
    const spec = { githubConfigUrl: 'https://github.com/acme' }
    const { kubernetes } = buildCluster({ pods: [runnerPod], ephemeralrunners: [object(RUNNER, { status, spec })] })
    const result = await gathered({ kubernetes, subject: { kind: 'pod', namespace: null, name: RUNNER } }, world)
    expect(result.subject).toMatchObject({ pod: RUNNER, jobId: failed.id, runId: run.id })
    expect(paths(result.files, 'github/jobs/')).toEqual([`github/jobs/${failed.id}.json`])
    expect(JSON.parse(result.files.get('github/runners.json') ?? '')).toHaveProperty('total_count')
  })

  it('of a pod is found among the jobs that run, and is blind where nothing names its job', async () => {
    const { kubernetes } = buildCluster({ pods: [runnerPod] })
    const subject: SubjectArgument = { kind: 'pod', namespace: null, name: RUNNER }
    const unknown = await gathered({ kubernetes, subject }, world)
    expect(unknown.sources['github/jobs']).toMatch(/^not-asked: nothing names the job/)
    const scope = { kind: 'organization', login: 'acme' } as const
    const registered = world.sim.world.registerRunner({ name: RUNNER, scope, labels: ['a'] })
    if (registered.kind !== 'registered') throw new Error(registered.kind)
    world.sim.world.runnerComesOnline(registered.runner.id)
    const job = world.sim.world.queueJob({ repository: REPO, labels: ['a'] })
    world.sim.world.assign()
    world.sim.world.startJob(job.id)
    const places = { namespaces: [], isInsideOnly: false, repositories: [REPO], organizations: [] }
    const result = await gathered({ kubernetes, subject, places }, world)
    expect(result.subject).toMatchObject({ jobId: job.id })
    expect(result.files.has('github/queued-jobs.json')).toBe(true)
    expect(result.sources['github/logs']).toMatch(/^not-asked: job \d+ has not ended/)
  })

  it('of a job without a log says so, and does not call it unknown', async () => {
    const { failed } = runOfTwo()
    world.sim.world.expireLog(failed.id)
    const subject: SubjectArgument = { kind: 'job', site: null, repository: REPO, id: failed.id }
    const expired = await gathered({ subject }, world)
    expect(expired.sources['github/logs']).toMatch(/^expired: /)
    const waiting = world.sim.world.queueJob({ repository: REPO, labels: ['none'] })
    world.sim.world.completeJob(waiting.id, { conclusion: 'cancelled' })
    const never = await gathered({ subject: { ...subject, id: waiting.id } }, world)
    expect(never.files.get(`github/logs/${waiting.id}.log`)).toBe('')
    expect(never.meta.sources.get(`github/logs/${waiting.id}`)).toMatchObject({
      coverage: { remark: 'GitHub has no log of it' },
    })
  })

  it('needs a credential', async () => {
    const subject: SubjectArgument = { kind: 'job', site: null, repository: REPO, id: 7 }
    expect((await gathered({ subject })).sources['github/jobs']).toMatch(/^unauthenticated: /)
  })
})
