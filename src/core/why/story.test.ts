import { describe, expect, it } from 'vitest'

import type { Evidence } from '#/core/why/evidence.ts'
import { tellStory } from '#/core/why/story.ts'
import {
  END,
  annotationFact,
  auditOf,
  endedPod,
  eventFact,
  eventOf,
  evidenceOf,
  jobOf,
  journalFact,
  logFact,
  logOf,
  podOf,
  second,
  vitalsOf,
} from '#test/why/evidence.ts'

const told = (changes: Partial<Evidence>) =>
  tellStory(evidenceOf(changes)).map(({ source, fact }) => `${source}: ${fact}`)
const nodeEvent = (at: number) =>
  eventOf({
    kind: 'Node',
    name: 'n1',
    reason: 'NodeNotReady',
    message: 'not ready',
    firstAt: second(at),
    lastAt: second(at),
  })

describe('the timeline', () => {
  it('has entries from every source, by time', () => {
    const story = tellStory(
      evidenceOf({
        job: jobOf(),
        pod: endedPod(143),
        events: [eventOf()],
        audit: [auditOf()],
        clues: [logFact('job-running', { at: 61, text: 'Running job: build' })],
        vitals: [vitalsOf()],
        log: logOf(),
      }),
    )
    expect(story.map(({ at }) => at)).toEqual(story.map(({ at }) => at).toSorted((a, b) => a - b))
    expect([...new Set(story.map(({ source }) => source))].toSorted()).toEqual([
      'github/jobs',
      'kubernetes/audit',
      'kubernetes/events',
      'kubernetes/pods',
      'logs/ci/linux-x1/runner',
    ])
    expect(story).toContainEqual({
      at: second(61),
      source: 'logs/ci/linux-x1/runner',
      fact: 'job-running: Running job: build',
    })
  })

  it('has an event once, with its own message', () => {
    expect(told({ events: [eventOf()], clues: [eventFact('container-started', { at: 10 })] })).toEqual([
      'kubernetes/events: Started: Started container runner',
    ])
  })

  it('has an annotation with the message of GitHub', () => {
    expect(told({ clues: [annotationFact('lost-communication', { text: 'The runner lost communication.' })] })).toEqual(
      ['github/annotations: The runner lost communication.'],
    )
  })

  it('leaves out what has no time', () => {
    expect(told({ clues: [journalFact('oom-kill', { at: null })] })).toEqual([])
  })

  it.each([
    ['near the end', END - 120, true],
    ['after it, but near', END + 120, true],
    ['long before', END - 121, false],
    ['long after', END + 121, false],
  ])('has a node event %s: %s', (_what, at, isTold) => {
    const pod = endedPod(143)
    const own = told({ pod }).length
    expect(told({ pod, events: [nodeEvent(at)] })).toHaveLength(own + (isTold ? 1 : 0))
    expect(told({ pod, clues: [journalFact('io-error', { at, about: 'node' })] })).toHaveLength(own + (isTold ? 1 : 0))
  })

  it('has everything about the pod, at any time', () => {
    const events = [eventOf({ firstAt: second(END + 900), lastAt: second(END + 900) })]
    const clues = [journalFact('stop-requested', { at: END - 500 })]
    expect(told({ log: logOf(), events, clues })).toHaveLength(2)
  })

  it.each([
    ['the last line of the log', { log: logOf() }],
    ['the end of the job', { job: jobOf() }],
  ] satisfies readonly (readonly [string, Partial<Evidence>])[])(
    'takes the end from %s, if the pod does not show it',
    (_what, evidence) => {
      const extra = told({ ...evidence, pod: podOf(), clues: [journalFact('io-error', { about: 'node' })] })
      expect(extra).toHaveLength(told({ ...evidence, pod: podOf() }).length + 1)
    },
  )

  it('has nothing about the node if the end is not known', () => {
    expect(told({ clues: [journalFact('io-error', { about: 'node' })], events: [nodeEvent(END)] })).toEqual([])
  })
})
