import { describe, expect, it } from 'vitest'
import { recordedJob } from './recorded-job.ts'

const spec = { githubConfigUrl: 'https://github.example.com/acme' }
const whole = { jobDisplayName: 'build (linux)', jobRepositoryName: 'acme/app', workflowRunId: 7, jobId: '85cb' }

describe('the job in the record of ARC', () => {
  it('has its name, repository and run URL', () => {
    expect(recordedJob({ spec, status: whole })).toEqual({
      id: '85cb',
      workflow: null,
      name: 'build (linux)',
      repository: 'acme/app',
      runId: 7,
      url: 'https://github.example.com/acme/app/actions/runs/7',
    })
  })

  it.each([
    [{ jobRequestId: 5 }, true],
    [{ workflowRunId: 9 }, true],
    [{ jobId: '55a0' }, true],
    [{ jobRepositoryName: 'acme/app' }, true],
    [{ jobDisplayName: 'build' }, true],
    [{ jobWorkflowRef: 'acme/app/.github/workflows/ci.yml@refs/heads/main' }, true],
    [{ jobRequestId: 0, workflowRunId: 0, jobId: '', jobRepositoryName: '', jobDisplayName: '' }, false],
    [{ workflowRunId: -1 }, false],
    [{ workflowRunId: 1.5 }, false],
    [{ workflowRunId: '9' }, false],
    [{}, false],
  ])('is shown by %j: %s', (status, isThere) => {
    expect(recordedJob({ status }) !== null).toBe(isThere)
  })

  it.each([
    ['no run', spec, { ...whole, workflowRunId: 0 }],
    ['no repository', spec, { ...whole, jobRepositoryName: '' }],
    ['a repository that leads elsewhere', spec, { ...whole, jobRepositoryName: 'acme/../x' }],
    ['no address of the server', {}, whole],
    ['an address that is none', { githubConfigUrl: 'acme' }, whole],
    ['an address that runs something', { githubConfigUrl: 'javascript:alert(1)' }, whole],
  ])('has no URL with %s', (_what, given, status) => {
    expect(recordedJob({ spec: given, status })?.url).toBeNull()
  })

  it('takes no password from the URL of the server', () => {
    const secretive = { githubConfigUrl: 'https://jane:s3cret@github.example.com/acme' }
    expect(recordedJob({ spec: secretive, status: whole })?.url).toBe(
      'https://github.example.com/acme/app/actions/runs/7',
    )
  })
})
