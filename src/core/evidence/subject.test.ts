import { describe, expect, it } from 'vitest'

import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { resolveSubject } from './subject.ts'
import type { Asked, Trace } from './subject.ts'
import { readWorkflowJob } from '#/core/github/workflow-job-facts.ts'

const pod = (name: string, namespace = 'runners') =>
  readPod({ metadata: { name, namespace, uid: `uid-${name}` }, spec: { nodeName: 'n1' } })
const job = (id: number, runner: string | null, startedAt = '2026-06-06T21:00:00Z') =>
  readWorkflowJob({ id, run_id: 9, runner_name: runner, started_at: startedAt })

const known = {
  pods: [pod('linux-a'), pod('linux-a-b'), pod('linux-a', 'other'), pod('idle')],
  jobs: [job(1, 'linux-a-b-x1'), job(2, 'linux-a'), job(3, 'linux-a', '2026-06-06T22:00:00Z'), job(4, null)],
  traces: [],
}

const asked = (changes: Partial<Asked>): Asked => ({ namespace: null, name: null, jobId: null, uid: null, ...changes })

describe('the subject of a question', () => {
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

  it('is looked up in the namespace before the name', () => {
    expect(resolveSubject(asked({ name: 'other/linux-a' }), known)).toMatchObject({
      namespace: 'other',
      pod: 'linux-a',
    })
    expect(resolveSubject(asked({ name: 'nowhere/idle' }), known)).toBeNull()
  })

  it('can be a job without a runner, or a pod without a job', () => {
    expect(resolveSubject(asked({ jobId: 4 }), known)).toMatchObject({ pod: null, runner: null, jobId: 4 })
    expect(resolveSubject(asked({ name: 'idle' }), known)).toMatchObject({ pod: 'idle', jobId: null })
  })

  it('is null if nothing matches', () => {
    expect(resolveSubject(asked({ name: 'linux' }), known)).toBeNull()
    expect(resolveSubject(asked({ jobId: 77 }), known)).toBeNull()
    expect(resolveSubject(asked({}), known)).toBeNull()
  })
})

describe('a pod that is gone', () => {
  const trace = (changes: Partial<Trace> = {}): Trace => ({
    namespace: 'runners',
    name: 'gone',
    uid: null,
    node: null,
    at: null,
    ...changes,
  })
  const traces = [
    trace({ name: 'gone-longer', uid: 'u9' }),
    trace({ uid: 'u1', node: 'n1' }),
    trace({ uid: 'u2', node: 'n2' }),
    trace({ namespace: 'other', uid: 'u3', node: 'n3' }),
  ]
  const left = { pods: [], jobs: [job(5, 'gone-x7')], traces }

  it('is known from its traces: the last UID and its node', () => {
    expect(resolveSubject(asked({ name: 'gone', namespace: 'runners' }), left)).toMatchObject({
      namespace: 'runners',
      pod: 'gone',
      uid: 'u2',
      node: 'n2',
      containerIds: [],
    })
  })

  it('is found by the longest name that matches its runner', () => {
    expect(resolveSubject(asked({ name: 'gone-longer-x7' }), left)).toMatchObject({ pod: 'gone-longer', uid: 'u9' })
    expect(resolveSubject(asked({ jobId: 5 }), left)).toMatchObject({ pod: 'gone', runner: 'gone-x7', jobId: 5 })
  })

  it('is the one with the UID of the question', () => {
    expect(resolveSubject(asked({ name: 'gone', namespace: 'runners', uid: 'u1' }), left)).toMatchObject({
      uid: 'u1',
      node: 'n1',
    })
  })

  it('takes a node from a trace without a UID, not from one with another UID', () => {
    const known = { ...left, traces: [trace({ uid: 'u1', node: 'n1' }), trace({ uid: 'u2' }), trace({ node: 'n5' })] }
    expect(resolveSubject(asked({ name: 'gone' }), known)).toMatchObject({ uid: 'u2', node: 'n5' })
    expect(resolveSubject(asked({ name: 'gone' }), { ...known, traces: known.traces.slice(0, 2) })).toMatchObject({
      uid: 'u2',
      node: null,
    })
  })

  it('is null if no trace has its name', () => {
    expect(resolveSubject(asked({ name: 'went' }), left)).toBeNull()
  })

  it('leaves a job without a pod if no trace has the name of its runner', () => {
    const known = { ...left, traces: [] }
    expect(resolveSubject(asked({ jobId: 5, namespace: 'runners' }), known)).toMatchObject({
      namespace: 'runners',
      pod: null,
      runner: 'gone-x7',
      jobId: 5,
      isJobAsked: true,
    })
  })
})

describe('a pod with the name of one that is gone', () => {
  const made = (createdAt: string | null) =>
    readPod({ metadata: { name: 'fixed', namespace: 'runners', uid: 'new', creationTimestamp: createdAt } })
  const traces: readonly Trace[] = [
    { namespace: 'runners', name: 'fixed', uid: 'old', node: 'n1', at: null },
    { namespace: 'runners', name: 'fixed', uid: 'new', node: 'n2', at: null },
  ]
  const jobs = [job(6, 'fixed')]
  const known = (createdAt: string | null) => ({ pods: [made(createdAt)], jobs, traces })

  it('is not the one that ran a job from before its creation', () => {
    expect(resolveSubject(asked({ jobId: 6 }), known('2026-06-06T21:00:16Z'))).toMatchObject({
      pod: 'fixed',
      uid: 'old',
      node: 'n1',
      jobId: 6,
    })
  })

  it.each([['2026-06-06T21:00:15Z'], ['2026-06-06T20:59:00Z'], [null]])(
    'is the one if it was made in time, as far as clocks show: %s',
    (createdAt) => {
      expect(resolveSubject(asked({ jobId: 6 }), known(createdAt))).toMatchObject({ uid: 'new', jobId: 6 })
    },
  )

  it('is meant if the question has its name, and the earlier job is not its own', () => {
    expect(resolveSubject(asked({ name: 'fixed' }), known('2026-06-06T21:30:00Z'))).toMatchObject({
      uid: 'new',
      jobId: null,
      isJobAsked: false,
    })
  })

  it('is distinguished by the UID of the question', () => {
    const all = known('2026-06-06T20:00:00Z')
    expect(resolveSubject(asked({ name: 'fixed', uid: 'old' }), all)).toMatchObject({ uid: 'old', node: 'n1' })
    expect(resolveSubject(asked({ name: 'fixed', uid: 'new' }), all)).toMatchObject({ uid: 'new' })
  })

  it('can be newer than a job whose start is not known', () => {
    const open = readWorkflowJob({ id: 8, run_id: 9, runner_name: 'fixed' })
    const all = { ...known('2026-06-06T21:30:00Z'), jobs: [open] }
    expect(resolveSubject(asked({ jobId: 8 }), all)).toMatchObject({ uid: 'new', jobId: 8 })
  })
})

describe('a job that is named and cannot be read', () => {
  const AT = Date.parse('2026-06-06T21:00:00Z')
  const old: Trace = { namespace: 'runners', name: 'linux-x', uid: 'old', node: 'n1', at: AT }
  const late: Trace = { namespace: 'runners', name: 'linux-x', uid: 'new', node: null, at: AT + 60_000 }
  const made = (status: object) =>
    readPod({
      metadata: { name: 'linux-x', namespace: 'runners', uid: 'new', creationTimestamp: '2026-06-06T21:01:00Z' },
      spec: { containers: [{ name: 'runner' }] },
      status,
    })
  const find = (pods: readonly ReturnType<typeof readPod>[], traces: readonly Trace[], jobId: number | null = 99) =>
    resolveSubject(asked({ name: 'linux-x', namespace: 'runners', jobId }), { pods, jobs: [], traces })?.uid
  const pending = made({ phase: 'Pending' })
  const running = made({
    phase: 'Running',
    containerStatuses: [{ name: 'runner', state: { running: { startedAt: '2026-06-06T21:01:10Z' } } }],
  })

  it('was not run by a pod that has not started, if an earlier one of the name is known', () => {
    expect(find([pending], [old, late])).toBe('old')
    expect(find([pending], [late])).toBe('new')
  })

  it('may have been run by a pod that started', () => {
    expect(find([running], [old, late])).toBe('new')
  })

  it('decides only if the question names it', () => {
    expect(find([pending], [old, late], null)).toBe('new')
  })

  it('was run by the pod that came to a node, if none is left', () => {
    expect(find([], [old, late])).toBe('old')
    expect(find([], [old, late], null)).toBe('new')
    expect(find([], [{ ...old, node: null }, late])).toBe('new')
  })
})
