import { describe, expect, it } from 'vitest'
import { cleanEnd, mayBeClean } from './clean-end.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { fieldFact } from '#/core/why/fact.ts'
import type { Judgement } from '#/core/why/verdict.ts'

const FINISHED = '2026-06-06T12:00:00Z'

function pod(state: object, { metadata = {}, phase = 'Succeeded', restartCount = 0 } = {}) {
  return readPod({
    metadata: { name: 'r', namespace: 'n', ...metadata },
    status: { phase, containerStatuses: [{ name: 'runner', restartCount, state: { terminated: state } }] },
  })
}

const ZERO = { exitCode: 0, finishedAt: FINISHED }
const deleted = (deletionTimestamp: string, deletionGracePeriodSeconds: number) => ({
  metadata: { deletionTimestamp, deletionGracePeriodSeconds },
})

function judgement(cause: string, kind: Judgement['verdict']['kind'], confidence: number): Judgement {
  const nothing = { actor: null, sentence: 'S.', because: [], doubts: [], missing: [], next: [] }
  return { verdict: { cause, kind, confidence, ...nothing }, alternatives: [] }
}

const guessed = (cause: string): Judgement => ({
  ...judgement('unknown', 'unknown', 0.3),
  alternatives: [{ cause, confidence: 0.3 }],
})

const log = 'logs/n/r/runner'
const result = (fields: string) =>
  fieldFact({ is: 'job-result', source: log, at: 1, text: fields, fields: { result: fields } })
const clue = (is: string) => fieldFact({ is, source: log, at: 1, text: is })

describe('a pod that may have ended well', () => {
  it.each([
    ['left with zero', pod(ZERO), true],
    ['left with zero, and was reaped then', pod(ZERO, deleted('2026-06-06T12:00:01Z', 0)), true],
    ['left with zero after it was asked to', pod(ZERO, deleted('2026-06-06T12:00:20Z', 30)), false],
    ['left with one', pod({ ...ZERO, exitCode: 1 }), false],
    ['failed as a whole', pod(ZERO, { phase: 'Failed' }), false],
    ['was restarted', pod(ZERO, { restartCount: 1 }), false],
  ])('%s', (_, facts, expected) => {
    expect(mayBeClean(facts)).toBe(expected)
  })
})

describe('a clean end', () => {
  it.each([
    ['proven by the rules', judgement('no-job-assigned', 'not-a-death', 0.9), pod(ZERO), [], 'no-job-assigned'],
    ['not quite proven', judgement('no-job-assigned', 'not-a-death', 0.899), pod(ZERO), [], null],
    ['a death, however certain', judgement('oom-container', 'death', 0.99), pod(ZERO), [result('Succeeded')], null],
    ["the runner's own word", guessed('completed-normally'), pod(ZERO), [result('Succeeded')], 'completed-normally'],
    [
      'its word, with remarks',
      guessed('completed-normally'),
      pod(ZERO),
      [result('SucceededWithIssues')],
      'completed-normally',
    ],
    ['its word that the job failed', guessed('completed-normally'), pod(ZERO), [result('Failed')], null],
    ['its last word counts', guessed('completed-normally'), pod(ZERO), [result('Succeeded'), result('Failed')], null],
    ['no word at all', guessed('completed-normally'), pod(ZERO), [], null],
    ['another guess is better', guessed('oom-step'), pod(ZERO), [result('Succeeded')], null],
    [
      'a runner that was killed under a zero',
      guessed('completed-normally'),
      pod(ZERO),
      [result('Succeeded'), clue('runner-process-killed')],
      null,
    ],
    [
      'a result that GitHub never got',
      guessed('completed-normally'),
      pod(ZERO),
      [result('Succeeded'), clue('completion-not-delivered')],
      null,
    ],
    ['another exit code', guessed('completed-normally'), pod({ ...ZERO, exitCode: 1 }), [result('Succeeded')], null],
    ['no pod', guessed('completed-normally'), null, [result('Succeeded')], null],
  ])('%s', (...[, judged, facts, clues, expected]) => {
    expect(cleanEnd(judged, { pod: facts, clues })?.cause ?? null).toBe(expected)
  })

  it('that only the log of the runner shows is less certain than one that GitHub confirms', () => {
    const clean = cleanEnd(guessed('completed-normally'), { pod: pod(ZERO), clues: [result('Succeeded')] })
    expect(clean).toMatchObject({
      confidence: 0.79,
      sentence: expect.stringContaining('GitHub was not asked') as string,
    })
  })
})
