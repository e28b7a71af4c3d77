import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { Secret } from '#/core/basics/secret.ts'
import { readWorkflowJobEvent } from './webhook-events.ts'
import { verifySignature } from './webhook-signature.ts'
import { textWith } from '#test/contracts/github-matchers.ts'

const RECEIVED = Date.UTC(2026, 10, 15, 12, 0, 5)
const findScope = (labels: readonly string[]) => (labels.includes('linux') ? 'linux-pool' : null)

const JOB = {
  id: 55810200025,
  run_id: 19600000175,
  run_attempt: 1,
  workflow_name: 'deploy',
  name: 'build',
  status: 'queued',
  conclusion: null,
  labels: ['linux'],
  runner_id: null,
  runner_name: null,
  runner_group_name: null,
  head_sha: 'acb1bb5e',
  head_branch: 'main',
  created_at: '2026-11-15T12:00:00Z',
  started_at: '2026-11-15T12:00:01Z',
  completed_at: null,
  steps: [],
}
const QUEUED_AT = Date.UTC(2026, 10, 15, 12)
const RUNNER = { runner_id: 9006, runner_name: 'linux-1', runner_group_name: 'Default' }

const read = (job: object, action = 'queued') => {
  const payload = { action, workflow_job: { ...JOB, ...job }, repository: { full_name: 'acme/api' }, new_field: {} }
  return readWorkflowJobEvent(Buffer.from(JSON.stringify(payload)), { scopeOf: findScope, receivedAt: RECEIVED })
}
const FACTS = {
  id: JOB.id,
  runId: JOB.run_id,
  runAttempt: 1,
  repository: 'acme/api',
  workflow: 'deploy',
  name: 'build',
  labels: ['linux'],
  scope: 'linux-pool',
  queuedAt: QUEUED_AT,
}

describe('a workflow_job webhook', () => {
  it('announces a queued job', () => {
    expect(read({})).toEqual({ kind: 'happening', happening: { kind: 'job-queued', at: QUEUED_AT, facts: FACTS } })
  })

  it('announces a queued job also where GitHub has set a runner already', () => {
    expect(read(RUNNER)).toMatchObject({ happening: { kind: 'job-queued' } })
  })

  it.each(['waiting', 'pending', 'requested', 'a-new-one'])(
    'does not announce a job that is %s, whatever the action says',
    (status) => {
      expect(read({ status }, 'queued')).toMatchObject({ kind: 'ignored' })
    },
  )

  it('goes by the status where the action says something else', () => {
    expect(read({ status: 'in_progress', ...RUNNER }, 'queued')).toMatchObject({ happening: { kind: 'job-started' } })
  })

  it('says which runner started the job, and when', () => {
    expect(read({ status: 'in_progress', ...RUNNER })).toEqual({
      kind: 'happening',
      happening: { kind: 'job-started', at: QUEUED_AT + 1000, facts: FACTS, runner: { id: 9006, name: 'linux-1' } },
    })
  })

  it('starts nothing where no runner is named', () => {
    for (const runner of [{}, { runner_id: 0, runner_name: '' }]) {
      expect(read({ status: 'in_progress', ...runner })).toMatchObject({ kind: 'ignored' })
    }
  })

  it('reports the end of a job, with and without a runner', () => {
    const done = { status: 'completed', conclusion: 'failure', completed_at: '2026-11-15T12:00:03Z' }
    expect(read({ ...done, ...RUNNER })).toMatchObject({
      happening: { kind: 'job-completed', at: QUEUED_AT + 3000, runner: { id: 9006 }, conclusion: 'failure' },
    })
    expect(read({ ...done, conclusion: 'cancelled', runner_id: 0, runner_name: '' })).toMatchObject({
      happening: { kind: 'job-completed', runner: null, conclusion: 'cancelled' },
    })
  })

  it('does without a creation time, and does not believe a time that is still to come', () => {
    expect(read({ created_at: undefined })).toMatchObject({ happening: { facts: { queuedAt: QUEUED_AT + 1000 } } })
    expect(read({ created_at: '2027-01-01T00:00:00Z' })).toMatchObject({ happening: { at: RECEIVED } })
  })

  it('ignores a job that no scope serves', () => {
    expect(read({ labels: ['windows'] })).toEqual({ kind: 'ignored', why: textWith('labels') })
  })

  it('is malformed, never a crash, for whatever else arrives', () => {
    const options = { scopeOf: findScope, receivedAt: RECEIVED }
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => Buffer.from(json)),
        ),
        (body) => {
          expect(readWorkflowJobEvent(body, options).kind).toBe('malformed')
        },
      ),
    )
    expect(read({ id: '1' })).toEqual({ kind: 'malformed', why: textWith('workflow_job.id') })
    expect(read({ labels: 'linux' })).toMatchObject({ kind: 'malformed' })
    expect(read({ created_at: 'yesterday' })).toMatchObject({ kind: 'malformed' })
  })
})

describe('the webhooks of a simulated GitHub', () => {
  it('carry a job from its queue to its end, signed', async () => {
    const events: unknown[] = []
    const deliver = async (_url: string, headers: Readonly<Record<string, string>>, body: string) => {
      if (headers['x-github-event'] !== 'workflow_job') return { status: 202 }
      const bytes = Buffer.from(body)
      expect(verifySignature([new Secret('webhook', 'hook')], bytes, headers['x-hub-signature-256'])).toBe('valid')
      events.push(readWorkflowJobEvent(bytes, { scopeOf: findScope, receivedAt: world.clock.now() }))
      return { status: 202 }
    }
    await using world = await startGitHubWorld({ sim: { webhook: { url: 'http://x.test', secret: 'hook', deliver } } })
    const job = runOneJob(world.sim)
    await world.sim.webhooks.flush()
    expect(events).toMatchObject([
      { kind: 'ignored', why: textWith('waiting') },
      { happening: { kind: 'job-queued', facts: { id: job, scope: 'linux-pool', repository: 'acme/api' } } },
      { happening: { kind: 'job-started', runner: { name: 'linux-1' } } },
      { happening: { kind: 'job-completed', runner: { name: 'linux-1' }, conclusion: 'success' } },
    ])
  })
})

function runOneJob({ world }: SimGitHub): number {
  const job = world.queueJob({ repository: 'acme/api', labels: ['linux'], waiting: true })
  world.releaseJob(job.id)
  const outcome = world.registerRunner({
    name: 'linux-1',
    scope: { kind: 'organization', login: 'acme' },
    labels: ['linux'],
    ephemeral: true,
  })
  if (outcome.kind !== 'registered') throw new Error(outcome.kind)
  world.runnerComesOnline(outcome.runner.id)
  world.assign()
  world.startJob(job.id)
  world.completeJob(job.id)
  return job.id
}
