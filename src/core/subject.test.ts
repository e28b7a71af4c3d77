import { describe, expect, it } from 'vitest'

import { readPod } from '#/core/pod-facts.ts'
import { resolveSubject } from '#/core/subject.ts'
import type { Asked } from '#/core/subject.ts'
import { readWorkflowJob } from '#/core/workflow-job-facts.ts'

const pod = (name: string, namespace = 'runners') =>
  readPod({ metadata: { name, namespace, uid: `uid-${name}` }, spec: { nodeName: 'n1' } })
const job = (id: number, runner: string | null, startedAt = '2026-06-06T21:00:00Z') =>
  readWorkflowJob({ id, run_id: 9, runner_name: runner, started_at: startedAt })

const known = {
  pods: [pod('linux-a'), pod('linux-a-b'), pod('linux-a', 'other'), pod('idle')],
  jobs: [job(1, 'linux-a-b-x1'), job(2, 'linux-a'), job(3, 'linux-a', '2026-06-06T22:00:00Z'), job(4, null)],
}

const asked = (changes: Partial<Asked>): Asked => ({ namespace: null, name: null, jobId: null, ...changes })

describe('whose story is asked for', () => {
  it('is found by the name of the pod, with the latest job that its runner executed', () => {
    expect(resolveSubject(asked({ name: 'linux-a', namespace: 'runners' }), known)).toMatchObject({
      namespace: 'runners',
      pod: 'linux-a',
      uid: 'uid-linux-a',
      node: 'n1',
      jobId: 3,
      runId: 9,
    })
  })

  it('is found by the name of the runner: the longest pod name that it begins with', () => {
    expect(resolveSubject(asked({ name: 'linux-a-b-x1' }), known)).toMatchObject({ pod: 'linux-a-b', jobId: 1 })
  })

  it.each(['1', 'https://github.com/acme/app/actions/runs/9/job/1'])('is found by a job: %s', (name) => {
    expect(resolveSubject(asked({ name }), known)).toMatchObject({ pod: 'linux-a-b', runner: 'linux-a-b-x1', jobId: 1 })
  })

  it('is looked for in the namespace that stands before the name', () => {
    expect(resolveSubject(asked({ name: 'other/linux-a' }), known)).toMatchObject({
      namespace: 'other',
      pod: 'linux-a',
    })
    expect(resolveSubject(asked({ name: 'nowhere/idle' }), known)).toBeNull()
  })

  it('may be a job without a runner, or a pod without a job', () => {
    expect(resolveSubject(asked({ jobId: 4 }), known)).toMatchObject({ pod: null, runner: null, jobId: 4 })
    expect(resolveSubject(asked({ name: 'idle' }), known)).toMatchObject({ pod: 'idle', jobId: null })
  })

  it('is nobody when nothing fits', () => {
    expect(resolveSubject(asked({ name: 'linux' }), known)).toBeNull()
    expect(resolveSubject(asked({ jobId: 77 }), known)).toBeNull()
    expect(resolveSubject(asked({}), known)).toBeNull()
  })
})
