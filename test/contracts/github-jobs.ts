import { describe, expect, it } from 'vitest'
import type { GitHubWorld } from './github-world.ts'
import { someNumber, textWith } from './github-matchers.ts'

const REPO = 'acme/api'

export function jobsContract(world: () => GitHubWorld): void {
  const queue = (count = 1) =>
    Array.from({ length: count }, () => world().sim.world.queueJob({ repository: REPO, labels: ['linux'] }))

  const run = (job: number, log: string | null = null): void => {
    const { sim } = world()
    const outcome = sim.world.registerRunner({
      name: `runner-of-${job}`,
      scope: { kind: 'organization', login: 'acme' },
      labels: ['linux'],
      ephemeral: true,
    })
    if (outcome.kind !== 'registered') throw new Error(outcome.kind)
    sim.world.runnerComesOnline(outcome.runner.id)
    sim.world.assign()
    sim.world.startJob(job)
    if (log !== null) sim.world.completeJob(job, { conclusion: 'failure', log })
  }

  describe('jobs', () => {
    it('have the state that GitHub has, with their runner', async () => {
      const [job] = queue()
      run(job!.id)
      expect(await world().github.jobs.byId(REPO, job!.id)).toMatchObject({
        kind: 'seen',
        value: {
          id: job!.id,
          runId: job!.run,
          repository: REPO,
          workflow: 'CI',
          status: 'in_progress',
          conclusion: null,
          labels: ['linux'],
          runner: { id: someNumber, name: `runner-of-${job!.id}` },
          checkRunId: job!.id,
          startedAt: world().clock.now(),
          steps: [{ number: 1, name: 'Set up job', status: 'in_progress', conclusion: null }],
        },
      })
    })

    it('have no runner before one takes them', async () => {
      const [job] = queue()
      expect(await world().github.jobs.byId(REPO, job!.id)).toMatchObject({ kind: 'seen', value: { runner: null } })
    })

    it('are none when the repository is visible and the job is not in it', async () => {
      expect(await world().github.jobs.byId(REPO, 4711)).toEqual({ kind: 'none' })
      expect(await world().github.jobs.run(REPO, 4711)).toEqual({ kind: 'none' })
    })

    it('are blind when GitHub hides the repository', async () => {
      const { sim, github } = world()
      sim.world.addRepository('acme/secret')
      sim.world.addOrganization('narrow')
      sim.world.addRepository('narrow/hidden')
      sim.world.addRepository('narrow/shown')
      sim.install('narrow', { repositories: ['narrow/shown'] })
      const job = sim.world.queueJob({ repository: 'narrow/hidden', labels: ['linux'] })
      expect(await github.jobs.byId('narrow/hidden', job.id)).toMatchObject({
        kind: 'blind',
        reason: { code: 'forbidden' },
      })
      expect(await github.jobs.runs('narrow/hidden', 'queued')).toMatchObject({
        kind: 'blind',
        reason: { code: 'forbidden' },
      })
    })

    it('of a run are those of its latest attempt', async () => {
      const { sim, github } = world()
      const { run: workflowRun, jobs } = sim.world.queueRun({
        repository: REPO,
        jobs: [
          { name: 'a', labels: ['linux'] },
          { name: 'b', labels: ['linux'] },
        ],
      })
      sim.world.cancelRun(workflowRun.id)
      sim.world.rerun(workflowRun.id, () => true)
      const listed = await github.jobs.ofRun(REPO, workflowRun.id)
      const ids = listed.kind === 'seen' ? listed.value.map(({ id }) => id) : []
      expect(ids).toHaveLength(2)
      expect(ids).not.toContain(jobs[0]!.id)
      expect(await github.jobs.run(REPO, workflowRun.id)).toMatchObject({
        kind: 'seen',
        value: { id: workflowRun.id, attempt: 2, workflow: 'CI', event: 'push', repository: REPO },
      })
    })

    it('that wait for a runner are found in queued runs and in runs that are in progress', async () => {
      const { sim, github } = world()
      const [queued, working] = queue(2)
      const second = sim.world.queueJob({ run: working!.run, labels: ['mac'] })
      const outcome = sim.world.registerRunner({
        name: 'r',
        scope: { kind: 'organization', login: 'acme' },
        labels: ['linux'],
      })
      if (outcome.kind === 'registered') sim.world.runnerComesOnline(outcome.runner.id)
      const [given] = sim.world.assign()
      sim.world.startJob(given!.job.id)
      const found = await github.jobs.queued(REPO)
      const expected = [queued!.id, working!.id, second.id].filter((id) => id !== given!.job.id)
      expect(found.kind === 'seen' && new Set(found.value.map(({ id }) => id))).toEqual(new Set(expected))
    })

    it('that wait are none in a repository without runs', async () => {
      expect(await world().github.jobs.queued(REPO)).toEqual({ kind: 'none' })
    })

    it('are rerun on request, but not while their run is in progress', async () => {
      const { sim, github } = world()
      const [job] = queue()
      run(job!.id)
      expect(await github.jobs.rerun(REPO, job!.id)).toMatchObject({
        kind: 'refused',
        detail: textWith('already running'),
      })
      sim.world.completeJob(job!.id, { conclusion: 'failure' })
      expect(await github.jobs.rerun(REPO, job!.id)).toEqual({ kind: 'requested' })
      expect(await github.jobs.rerun(REPO, 4711)).toEqual({ kind: 'absent' })
      sim.world.cancelRun(job!.run)
      expect(await github.jobs.rerunFailed(REPO, job!.run)).toMatchObject({ kind: 'requested' })
    })
  })

  describe('the log of a job', () => {
    const read = async (job: number, maxBytes = 1 << 20) => {
      const pieces: Uint8Array[] = []
      const outcome = await world().github.jobs.log(REPO, job, { maxBytes, take: (piece) => void pieces.push(piece) })
      return { outcome, text: Buffer.concat(pieces).toString() }
    }

    it('is returned in order and complete', async () => {
      const [job] = queue()
      const log = Array.from({ length: 20_000 }, (_, line) => `line ${line}\n`).join('')
      run(job!.id, log)
      const { outcome, text } = await read(job!.id)
      expect(outcome).toEqual({ kind: 'seen', value: { bytes: log.length, complete: true } })
      expect(text).toBe(log)
    })

    it('is truncated at the limit and says so', async () => {
      const [job] = queue()
      run(job!.id, 'x'.repeat(100_000))
      const { outcome, text } = await read(job!.id, 1000)
      expect(outcome).toEqual({ kind: 'seen', value: { bytes: 1000, complete: false } })
      expect(text).toBe('x'.repeat(1000))
    })

    it('is none for a job that never ran or does not exist, and expired when GitHub deleted it', async () => {
      const { sim } = world()
      const [idle, done] = queue(2)
      run(idle!.id < done!.id ? idle!.id : done!.id, 'log')
      const ran = sim.world.jobs().find(({ log }) => log !== null)!
      const never = sim.world.jobs().find(({ log }) => log === null)!
      expect((await read(never.id)).outcome).toEqual({ kind: 'none' })
      expect((await read(4711)).outcome).toEqual({ kind: 'none' })
      sim.world.expireLog(ran.id)
      expect((await read(ran.id)).outcome).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    })
  })
}
