import { describe, expect, it } from 'vitest'
import { recordedJob } from '#/core/github/recorded-job.ts'
import { reportedJob } from './death-document.ts'

const workflowIn = (jobWorkflowRef: string) => reportedJob(null, recordedJob({ status: { jobWorkflowRef } })).workflow

describe('the workflow of a job that only ARC’s record knows', () => {
  it('is shown as its path', () => {
    expect(workflowIn('acme/app/.github/workflows/ci.yml@refs/heads/main')).toBe('.github/workflows/ci.yml')
    expect(workflowIn('acme/app/.github/workflows/ci.yml')).toBe('.github/workflows/ci.yml')
  })

  it.each(['ci.yml', 'acme/app', '@', ''])('is not guessed from %j', (ref) => {
    expect(workflowIn(ref)).toBeNull()
  })

  it('is redacted', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    expect(workflowIn(`acme/app/.github/workflows/${token}.yml@main`)).not.toContain(token)
  })
})
