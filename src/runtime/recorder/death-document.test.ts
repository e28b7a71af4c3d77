import { describe, expect, it } from 'vitest'
import { recordedJob } from '#/core/github/recorded-job.ts'
import type { FoundJob } from '#/runtime/collect/github/github-jobs.ts'
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

describe('the workflow and address of a job that GitHub knows', () => {
  it('are redacted', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const document = { workflow_name: `deploy ${token}`, html_url: `https://github.com/acme/app?t=${token}` }
    const reported = reportedJob({ document, facts: { name: 'build' } } as unknown as FoundJob, null)
    expect(JSON.stringify(reported)).not.toContain(token)
    expect(reported.workflow).toBe('deploy ‹redacted:github-token›')
  })
})
