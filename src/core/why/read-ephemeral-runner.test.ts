import { describe, expect, it } from 'vitest'

import { readEphemeralRunner } from '#/core/why/read-ephemeral-runner.ts'

describe("ARC's record of a runner", () => {
  it('is read with phase, reason, message and the number of failures', () => {
    const status = { phase: 'Failed', reason: 'Outdated', message: 'too old', failures: { a: true, b: true } }
    expect(readEphemeralRunner({ status })).toEqual({
      phase: 'Failed',
      reason: 'Outdated',
      message: 'too old',
      hasJob: false,
      failures: 2,
    })
  })

  it.each([
    [{ jobRequestId: 5 }, true],
    [{ workflowRunId: 9 }, true],
    [{ jobId: '55a0' }, true],
    [{ jobRequestId: 0, workflowRunId: 0 }, false],
    [{}, false],
  ])('with %j has a job: %s', (status, hasJob) => {
    expect(readEphemeralRunner({ status }).hasJob).toBe(hasJob)
  })

  it('may be empty', () => {
    expect(readEphemeralRunner({})).toEqual({ phase: null, reason: null, message: null, hasJob: false, failures: 0 })
  })
})
