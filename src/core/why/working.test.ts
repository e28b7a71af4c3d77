import { describe, expect, it } from 'vitest'

import type { RecordedJob } from '#/core/github/recorded-job.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import { readWorking } from '#/core/why/working.ts'
import {
  END,
  RECORDED_JOB,
  SUBJECT,
  annotationFact,
  makeEvidence,
  makeJob,
  logFact,
  makeLog,
  second,
  makeStep,
} from '#test/why/evidence.ts'

const working = (changes: Partial<Evidence>) => readWorking(makeEvidence(changes))
const names = (facts: readonly Fact[]) => facts.map(({ is }) => is)
const record = (job: RecordedJob | null) => ({ phase: 'Running', reason: null, message: null, failures: 0, job })

describe('that a runner had a job', () => {
  const CASES: readonly (readonly [what: string, evidence: Partial<Evidence>, had: boolean])[] = [
    ['it says that it runs one', { clues: [logFact('job-running')] }, true],
    ['it says that it received one', { clues: [logFact('job-received')] }, true],
    ['another says so', { clues: [logFact('job-running', { about: 'node' })] }, false],
    ['it says something else', { clues: [logFact('runner-listening')] }, false],
    ['ARC recorded one', { ephemeralRunner: record(RECORDED_JOB) }, true],
    ['ARC recorded none', { ephemeralRunner: record(null) }, false],
    ['GitHub gave it one', { job: makeJob() }, true],
    ['GitHub has one that never started', { job: makeJob({ startedAt: null }) }, false],
    ['GitHub has one that is queued', { job: makeJob({ status: 'queued' }) }, false],
    ['GitHub has one that waits', { job: makeJob({ status: 'waiting' }) }, false],
    ['GitHub gave it to nobody', { job: makeJob({ runner: null }) }, false],
    ['GitHub gave it to another', { job: makeJob({ runner: 'linux-x2' }) }, false],
    ['the runner is called like the pod with a suffix', { job: makeJob({ runner: 'linux-x1-a1b2' }) }, true],
    ['the runner is called like the pod', { job: makeJob(), subject: { ...SUBJECT, runner: null } }, true],
    ['only the runner has that name', { job: makeJob({ runner: 'r' }), subject: { ...SUBJECT, runner: 'r' } }, true],
    ['no pod is known', { job: makeJob(), subject: { ...SUBJECT, pod: null, runner: null } }, false],
  ]

  it.each(CASES)('%s', (_what, evidence, had) => {
    expect(working(evidence).had).toHaveLength(had ? 1 : 0)
  })
})

describe('that a runner had no job', () => {
  const listening = [logFact('runner-listening')]

  it.each([
    ['is shown by a log that is whole from the start', { clues: listening, log: makeLog() }, true],
    ['is not shown by a log that is cut', { clues: listening, log: makeLog({ isFromStart: false }) }, false],
    ['is not shown without a log', { clues: listening }, false],
    ['is not shown by a log of a runner that never waited', { log: makeLog() }, false],
    ['is not shown when anybody knows of one', { clues: listening, log: makeLog(), job: makeJob() }, false],
  ] satisfies readonly (readonly [string, Partial<Evidence>, boolean])[])('%s', (_what, evidence, isIdle) => {
    expect(working(evidence).idle?.is).toBe(isIdle ? 'no-job-seen' : undefined)
  })
})

describe('the job result in the runner log', () => {
  const result = (text: string, at: number) => logFact('job-result', { at, fields: { result: text } })

  it('is the last result', () => {
    expect(working({ clues: [result('Succeeded', 200), result('Failed', 100)] }).result?.fields['result']).toBe(
      'Succeeded',
    )
  })

  it('is null without a result, or from another line', () => {
    expect(working({ clues: [logFact('job-result')] }).result).toBeNull()
    expect(working({ clues: [{ ...result('Failed', 1), about: 'node' }] }).result).toBeNull()
    expect(working({ clues: [logFact('step-exited', { fields: { result: 'Failed' } })] }).result).toBeNull()
  })

  it.each([
    ['one-time-runner-done', {}, true],
    ['listener-exited', { code: '0' }, true],
    ['listener-exited', { how: '0 return code' }, true],
    ['listener-exited', { code: '1' }, false],
    ['listener-exited', {}, false],
    ['job-running', { code: '0' }, false],
  ])('is a leave by itself: %s %j, %s', (is, fields, answer) => {
    expect(working({ clues: [logFact(is, { fields })] }).left).toHaveLength(answer ? 1 : 0)
  })
})

describe("GitHub's view", () => {
  it('of an unknown job has only what it says about the runner', () => {
    const clues = [annotationFact('lost-communication'), annotationFact('shutdown-annotated')]
    expect(working({ clues }).github).toMatchObject({
      completed: null,
      conclusion: null,
      inProgress: null,
      failedStep: null,
      allSteps: null,
    })
    expect(names(working({ clues }).github.lost)).toEqual(['lost-communication'])
  })

  it('has the job as completed', () => {
    const { completed, conclusion, inProgress } = working({ job: makeJob({ conclusion: 'success' }) }).github
    expect([completed?.text, completed?.at, conclusion, inProgress]).toEqual([
      'GitHub shows job 7 as completed: success',
      second(END),
      'success',
      null,
    ])
  })

  it('has the job as in progress', () => {
    const { completed, inProgress } = working({ job: makeJob({ status: 'in_progress', conclusion: null }) }).github
    expect([completed, inProgress?.text]).toEqual([null, 'GitHub still shows job 7 as in progress'])
    expect(working({ job: makeJob({ status: 'queued', conclusion: null }) }).github.inProgress).toBeNull()
  })

  it('has the step that failed', () => {
    const steps = [makeStep({ number: 1 }), makeStep({ conclusion: 'failure' })]
    expect(working({ job: makeJob({ steps }) }).github.failedStep?.text).toBe('step 2 (test) ended with failure')
    expect(working({ job: makeJob({ steps: steps.slice(0, 1) }) }).github.failedStep).toBeNull()
  })

  it('has the end of every step and not of the job, if only the last step is open', () => {
    const last = makeStep({ number: 9, name: 'Complete job', status: 'pending', conclusion: null, completedAt: null })
    const done = [makeStep({ number: 1 }), makeStep({ number: 2, conclusion: 'failure' }), last]
    const all = (steps: typeof done, status = 'in_progress') =>
      working({ job: makeJob({ status, conclusion: null, steps }) }).github.allSteps
    expect(all(done)?.text).toBe('GitHub has the end of every step of job 7, and not of the job')
    expect(all([...done, makeStep({ status: 'in_progress', conclusion: null })])).toBeNull()
    expect(all(done, 'completed')).toBeNull()
    expect(all([last])).toBeNull()
  })

  it.each([
    ['is in progress', { status: 'in_progress', conclusion: null }, true],
    ['is in progress since nobody knows when', { status: 'in_progress', conclusion: null, startedAt: null }, true],
    ['had begun', { status: 'queued', conclusion: null }, true],
    ['had not begun', { status: 'queued', conclusion: null, startedAt: null }, false],
    ['was completed without a conclusion', { status: 'completed', conclusion: null }, false],
    ['failed', { status: 'in_progress', conclusion: 'failure' }, false],
  ])('closes a failed job without the runner when a step %s: %s', (_what, step, isLost) => {
    const { lost } = working({ job: makeJob({ steps: [makeStep(step)] }) }).github
    expect(names(lost)).toEqual(isLost ? ['step-never-ended'] : [])
  })

  it.each([
    ['is open', { status: 'in_progress', conclusion: null }],
    ['is open though something failed', { status: 'in_progress', conclusion: 'failure' }],
    ['was cancelled', { conclusion: 'cancelled' }],
  ])('reads nothing from an open step of a job that %s', (_what, changes) => {
    const steps = [makeStep({ status: 'in_progress', conclusion: null })]
    expect(working({ job: makeJob({ steps, ...changes }) }).github.lost).toEqual([])
  })
})
