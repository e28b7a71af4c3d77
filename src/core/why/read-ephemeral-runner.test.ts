import { describe, expect, it } from 'vitest'

import { readEphemeralRunner } from '#/core/why/read-ephemeral-runner.ts'

describe("ARC's record of a runner", () => {
  it('is read with phase, reason, message and the number of failures', () => {
    const status = { phase: 'Failed', reason: 'Outdated', message: 'too old', failures: { a: true, b: true } }
    expect(readEphemeralRunner({ status })).toEqual({
      phase: 'Failed',
      reason: 'Outdated',
      message: 'too old',
      job: null,
      failures: 2,
    })
  })

  it('is read with its job', () => {
    expect(readEphemeralRunner({ status: { jobDisplayName: 'build' } }).job?.name).toBe('build')
  })

  it('may be empty', () => {
    expect(readEphemeralRunner({})).toEqual({ phase: null, reason: null, message: null, job: null, failures: 0 })
  })
})
