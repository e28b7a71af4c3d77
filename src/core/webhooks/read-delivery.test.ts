import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDelivery } from './read-delivery.ts'

const JOB = {
  id: 55810200025,
  run_id: 19600000175,
  run_attempt: 2,
  workflow_name: 'deploy',
  name: 'build',
  status: 'in_progress',
  conclusion: null,
  labels: ['linux'],
  runner_id: 9006,
  runner_name: 'linux-1',
  created_at: '2026-11-15T12:00:00Z',
  started_at: '2026-11-15T12:00:01Z',
  completed_at: null,
  a_new_field: [{ of: 'GitHub' }],
}
const payloadOf = (job: object, around: object = {}) => ({
  action: 'queued',
  workflow_job: { ...JOB, ...job },
  repository: { full_name: 'acme/api' },
  installation: { id: 4711 },
  ...around,
})
const read = (job: object, around: object = {}) => readDelivery('workflow_job', payloadOf(job, around))

describe('a delivery', () => {
  it('says what the job is, by its status and not by the action', () => {
    expect(read({})).toEqual({
      kind: 'job',
      job: {
        id: JOB.id,
        runId: JOB.run_id,
        runAttempt: 2,
        repository: 'acme/api',
        workflow: 'deploy',
        name: 'build',
        labels: ['linux'],
        status: 'in_progress',
        conclusion: null,
        runner: { id: 9006, name: 'linux-1' },
        createdAt: Date.UTC(2026, 10, 15, 12),
        startedAt: Date.UTC(2026, 10, 15, 12, 0, 1),
        completedAt: null,
        installation: 4711,
      },
    })
  })

  it('has no NUL, which the store could not take', () => {
    const reading = read({ name: 'bu\0ild', labels: ['li\0nux'], runner_name: 'a\0b' })
    expect(JSON.stringify(reading)).not.toContain('\\u0000')
    expect(reading).toMatchObject({ kind: 'job', job: { name: 'bu\uFFFDild' } })
  })

  it.each([
    [
      'a GitHub without them',
      { run_attempt: undefined, workflow_name: undefined, created_at: undefined },
      { workflow: '' },
    ],
    ['a runner as null', { runner_id: null, runner_name: null }, { runner: null }],
    ['a runner as 0 and nothing', { runner_id: 0, runner_name: '' }, { runner: null }],
    ['a runner without an id', { runner_id: null }, { runner: { id: null, name: 'linux-1' } }],
    ['a new status', { status: 'dreaming' }, { status: 'unknown' }],
  ])('is read also with %s', (_, job, expected) => {
    expect(read(job)).toMatchObject({ kind: 'job', job: expected })
  })

  it.each([
    [{ id: '1' }, {}, 'workflow_job.id is not a positive whole number'],
    [{ id: 2 ** 53 }, {}, 'workflow_job.id'],
    [{ run_id: -1 }, {}, 'workflow_job.run_id'],
    [{ name: 7 }, {}, 'workflow_job.name is not a text'],
    [{ name: 'x'.repeat(1025) }, {}, 'workflow_job.name is longer than 1024 characters'],
    [{ labels: 'linux' }, {}, 'workflow_job.labels is not a list'],
    [{ labels: [1] }, {}, 'workflow_job.labels is not a text'],
    [{ labels: Array.from({ length: 101 }, () => 'a') }, {}, 'workflow_job.labels has more than 100 entries'],
    [{ runner_name: {} }, {}, 'workflow_job.runner_name'],
    [{ created_at: 'yesterday' }, {}, 'workflow_job.created_at is not a time'],
    [{}, { repository: { full_name: 'acme' } }, 'repository.full_name is not OWNER/NAME'],
    [{}, { repository: null }, 'repository.full_name'],
    [{}, { installation: { id: 'x' } }, 'installation.id'],
    [{}, { workflow_job: [] }, 'workflow_job.run'],
  ])('is malformed, and the place is named (%#)', (job, around, why) => {
    const reading = read(job, around)
    expect(reading).toMatchObject({
      kind: 'malformed',
      why: expect.stringContaining(why.split('.run')[0] ?? '') as string,
    })
  })

  it('is not read where it is another event', () => {
    expect(readDelivery('ping', payloadOf({}))).toEqual({ kind: 'other-event' })
  })

  it('never throws, whatever arrives', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (payload) => {
        expect(readDelivery('workflow_job', payload).kind).toBe('malformed')
      }),
    )
    const fields = fc.constantFrom(...Object.keys(JOB))
    fc.assert(
      fc.property(fields, fc.anything(), (field, value) => {
        expect(['job', 'malformed']).toContain(read({ [field]: value }).kind)
      }),
    )
  })
})
