import { describe, expect, it } from 'vitest'

import type { Evidence } from './evidence.ts'
import { buildTimeline } from './timeline.ts'
import {
  END,
  annotationFact,
  makeAudit,
  endedPod,
  eventFact,
  makeEvent,
  makeEvidence,
  makeJob,
  journalFact,
  logFact,
  makeLog,
  makePod,
  second,
  makeVitals,
} from '#test/why/evidence.ts'

const timelineFacts = (changes: Partial<Evidence>) =>
  buildTimeline(makeEvidence(changes)).map(({ source, fact }) => `${source}: ${fact}`)
const nodeEvent = (at: number) =>
  makeEvent({
    kind: 'Node',
    name: 'n1',
    reason: 'NodeNotReady',
    message: 'not ready',
    firstAt: second(at),
    lastAt: second(at),
  })

describe('the timeline', () => {
  it('has entries from every source, by time', () => {
    const timeline = buildTimeline(
      makeEvidence({
        job: makeJob(),
        pod: endedPod(143),
        events: [makeEvent()],
        auditLog: [makeAudit()],
        clues: [logFact('job-running', { at: 61, text: 'Running job: build' })],
        vitals: [makeVitals()],
        log: makeLog(),
      }),
    )
    expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted((a, b) => a - b))
    expect([...new Set(timeline.map(({ source }) => source))].toSorted()).toEqual([
      'github/jobs',
      'kubernetes/audit',
      'kubernetes/events',
      'kubernetes/pods',
      'logs/ci/linux-x1/runner',
    ])
    expect(timeline).toContainEqual({
      at: second(61),
      source: 'logs/ci/linux-x1/runner',
      fact: 'job-running: Running job: build',
    })
  })

  it('has an event once, with its own message', () => {
    expect(timelineFacts({ events: [makeEvent()], clues: [eventFact('container-started', { at: 10 })] })).toEqual([
      'kubernetes/events: Started: Started container runner',
    ])
  })

  it('has an annotation with the message of GitHub', () => {
    expect(
      timelineFacts({ clues: [annotationFact('lost-communication', { text: 'The runner lost communication.' })] }),
    ).toEqual(['github/annotations: The runner lost communication.'])
  })

  it('leaves out what has no time', () => {
    expect(timelineFacts({ clues: [journalFact('oom-kill', { at: null })] })).toEqual([])
  })

  it.each([
    ['near the end', END - 120, true],
    ['after it, but near', END + 120, true],
    ['long before', END - 121, false],
    ['long after', END + 121, false],
  ])('has a node event %s: %s', (_what, at, isListed) => {
    const pod = endedPod(143)
    const own = timelineFacts({ pod }).length
    expect(timelineFacts({ pod, events: [nodeEvent(at)] })).toHaveLength(own + (isListed ? 1 : 0))
    expect(timelineFacts({ pod, clues: [journalFact('io-error', { at, about: 'node' })] })).toHaveLength(
      own + (isListed ? 1 : 0),
    )
  })

  it('has everything about the pod, at any time', () => {
    const events = [makeEvent({ firstAt: second(END + 900), lastAt: second(END + 900) })]
    const clues = [journalFact('stop-requested', { at: END - 500 })]
    expect(timelineFacts({ log: makeLog(), events, clues })).toHaveLength(2)
  })

  it.each([
    ['the last line of the log', { log: makeLog() }],
    ['the end of the job', { job: makeJob() }],
  ] satisfies readonly (readonly [string, Partial<Evidence>])[])(
    'takes the end from %s, if the pod does not show it',
    (_what, evidence) => {
      const extra = timelineFacts({ ...evidence, pod: makePod(), clues: [journalFact('io-error', { about: 'node' })] })
      expect(extra).toHaveLength(timelineFacts({ ...evidence, pod: makePod() }).length + 1)
    },
  )

  it('has nothing about the node if the end is not known', () => {
    expect(timelineFacts({ clues: [journalFact('io-error', { about: 'node' })], events: [nodeEvent(END)] })).toEqual([])
  })
})
