import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import {
  END,
  RUNNING,
  blindTo,
  makeCondition,
  makeContainer,
  controllerFact,
  endedPod,
  eventFact,
  makeEvent,
  makeEvidence,
  makeJob,
  journalFact,
  logFact,
  makeLog,
  looking,
  makeNode,
  makePod,
  second,
  makeVitals,
} from '#test/why/evidence.ts'

const dossier = (changes: Partial<Evidence>) => openDossier(makeEvidence(changes))

describe('a live runner', () => {
  const alive = { pod: makePod() }

  it('has a running pod and no ended container', () => {
    expect(dossier(alive).isAlive).toBe(true)
    expect(
      dossier({
        ...alive,
        node: makeNode(),
        isNodeListed: true,
        job: makeJob({ status: 'in_progress', conclusion: null }),
      }).isAlive,
    ).toBe(true)
  })

  it.each([
    ['there is no object', { pod: null }],
    ['it is being deleted', { pod: makePod({ deletedAt: second(500) }) }],
    ['its object is only the last seen one', { pod: makePod({ lastSeenAt: second(500) }) }],
    [
      'its container ended',
      {
        pod: makePod({
          containers: [makeContainer({ state: RUNNING, last: endedPod(1).containers[0]?.state ?? RUNNING })],
        }),
      },
    ],
    [
      'the journal saw its end',
      { clues: [journalFact('container-exit', { fields: { code: '137', name: 'runner' } })] },
    ],
    ['the runner logged a result', { clues: [logFact('job-result', { fields: { result: 'Failed' } })] }],
    ['it has another phase', { pod: makePod({ phase: 'Pending' }) }],
    [
      'its container waits',
      { pod: makePod({ containers: [makeContainer({ state: { kind: 'waiting', reason: null, message: null } })] }) },
    ],
    ['GitHub shows its job as completed', { job: makeJob() }],
    ['its node is no longer listed', { isNodeListed: false }],
    ['its node stopped reporting', { node: makeNode({ conditions: [makeCondition('Ready', { status: 'Unknown' })] }) }],
    ['the pod is not ready', { pod: makePod({ conditions: [makeCondition('Ready', { status: 'False' })] }) }],
    ['the kubelet saw that its object is gone', { clues: [journalFact('pod-object-gone')] }],
  ] satisfies readonly (readonly [string, Partial<Evidence>])[])('does not when %s', (_what, changes) => {
    expect(dossier({ ...alive, ...changes }).isAlive).toBe(false)
  })

  it.each([
    ['another pod is gone', { clues: [journalFact('pod-object-gone', { about: 'node' })] }],
    [
      'its node is not ready for another reason',
      { node: makeNode({ conditions: [makeCondition('Ready', { status: 'False' })] }) },
    ],
    [
      'the node has an unknown pressure',
      { node: makeNode({ conditions: [makeCondition('DiskPressure', { status: 'Unknown' })] }) },
    ],
    [
      'the pod is not initialised anew',
      { pod: makePod({ conditions: [makeCondition('Initialized', { status: 'False' })] }) },
    ],
  ] satisfies readonly (readonly [string, Partial<Evidence>])[])('still does when %s', (_what, changes) => {
    expect(dossier({ ...alive, ...changes }).isAlive).toBe(true)
  })
})

describe('whether the runner ever ran', () => {
  const pending = makePod({ phase: 'Pending', containers: [] })

  it.each([
    ['its container runs', { pod: makePod() }, 1],
    ['its container ended', { pod: endedPod(137) }, 1],
    ['the kubelet started it', { clues: [eventFact('container-started')] }, 1],
    ['it listened', { clues: [logFact('runner-listening')] }, 1],
    ['it wrote a log', { log: makeLog({ lines: 2 }) }, 1],
    ['it had a job', { job: makeJob() }, 1],
    ['one line may be the runtime', { log: makeLog({ lines: 1 }) }, 0],
    ['another container started', { clues: [eventFact('container-started', { about: 'node' })] }, 0],
    ['it only waits', { pod: pending }, 0],
    ['the runtime could not start it', { pod: endedPod(128, { reason: 'StartError' }) }, 0],
    [
      'the runtime could not start it, with another reason',
      { pod: endedPod(127, { reason: 'ContainerCannotRun' }) },
      0,
    ],
    ['128 is the code of a container that never started', { pod: endedPod(128, { reason: 'Error' }) }, 0],
    ['a start error with an ordinary code', { pod: endedPod(1, { reason: 'StartError' }) }, 0],
    ['a status that was lost', { pod: endedPod(137, { reason: 'ContainerStatusUnknown' }) }, 0],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number])[])('%s', (_what, changes, count) => {
    expect(dossier(changes).ran).toHaveLength(count)
  })

  it('has the time of the start', () => {
    expect(dossier({ pod: makePod() }).ran[0]?.at).toBe(second(10))
  })
})

describe('clues', () => {
  const clues = [
    logFact('b', { at: 20 }),
    logFact('a', { at: 10 }),
    journalFact('a', { at: END, about: 'node' }),
    journalFact('a', { at: END - 121, about: 'node' }),
    journalFact('a', { at: END + 31, about: 'node' }),
    journalFact('a', { at: null, about: 'node' }),
    controllerFact('a', { at: -5000, about: 'node' }),
  ]

  it('of the subject with these ids are in order of time', () => {
    expect(
      dossier({ clues })
        .subjectClues('a', 'b')
        .map(({ is }) => is),
    ).toEqual(['a', 'b'])
    expect(dossier({ clues }).subjectClues('b')).toHaveLength(1)
    expect(dossier({ clues }).subjectClues()).toEqual([])
  })

  it('of the node count only near the end', () => {
    expect(
      dossier({ clues, pod: endedPod(137) })
        .nodeClues('a')
        .map(({ at }) => at),
    ).toEqual([second(END)])
    expect(dossier({ clues, pod: endedPod(137) }).nodeClues('b')).toEqual([])
  })

  it('of the node count at any known time if the end is not known', () => {
    expect(dossier({ clues }).nodeClues('a')).toHaveLength(4)
  })

  it('of the fleet are controller log lines of any time', () => {
    expect(
      dossier({ clues, pod: endedPod(137) })
        .fleetClues('a')
        .map(({ source }) => source),
    ).toEqual(['logs/ci/controller/manager'])
    expect(dossier({ clues }).fleetClues('b')).toEqual([])
  })

  it("include ARC's record as one sentence", () => {
    const ephemeralRunner = { phase: 'Failed', reason: 'Outdated', message: 'too old', job: null, failures: 1 }
    expect(dossier({ ephemeralRunner }).recordFact?.text).toBe('ARC records the runner as Failed: Outdated too old')
    expect(
      dossier({ ephemeralRunner: { ...ephemeralRunner, phase: null, reason: null, message: null } }).recordFact?.text,
    ).toBe('ARC records the runner as without a phase:')
    expect(dossier({}).recordFact).toBeNull()
  })
})

describe('kills inside a microVM', () => {
  const pod = makePod({ runtimeClass: 'kata' })

  it.each([
    ['are counted by the vitals', { pod, vitals: [makeVitals({ oomKills: 2 })] }, 1],
    ['are counted by the last sample that knows', { pod, vitals: [makeVitals({ oomKills: 2 }), makeVitals()] }, 1],
    ['are none at zero', { pod, vitals: [makeVitals({ oomKills: 1 }), makeVitals({ oomKills: 0 })] }, 0],
    ['are none without vitals', { pod }, 0],
    ['are not those of an ordinary container', { pod: makePod(), vitals: [makeVitals({ oomKills: 2 })] }, 0],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number])[])('%s', (_what, changes, count) => {
    expect(dossier(changes).guestKills).toHaveLength(count)
  })
})

describe('a source that covers the time', () => {
  const pod = endedPod(137)

  it.each([
    ['covers the half minute before the end', ['journal', END - 30, END] as const, true],
    ['begins later', ['journal', END - 29, END + 99] as const, false],
    ['ends before the end', ['journal', 0, END - 1] as const, false],
  ])('%s: %s', (_what, source, answer) => {
    expect(dossier({ pod, sources: looking(source) }).wasLooking('journal')).toBe(answer)
    expect(dossier({ pod, sources: looking(source) }).wasRead('journal')).toBe(true)
  })

  it('is none if the end is not known, because the time to cover is not known either', () => {
    expect(dossier({ sources: looking('journal') }).wasLooking('journal')).toBe(false)
    expect(dossier({ sources: looking('journal') }).wasRead('journal')).toBe(true)
    expect(dossier({ pod, sources: blindTo('journal') }).wasLooking('journal')).toBe(false)
    expect(dossier({}).wasRead('journal')).toBe(false)
  })

  it.each([
    ['the pod', { pod: endedPod(137, { finishedAt: second(12) }) }, 6],
    ['the log', { log: makeLog({ firstAt: second(5), lastAt: second(12) }) }, 6],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number])[])(
    'need not cover the time before %s started',
    (_what, changes, from) => {
      const at = (begin: number) => dossier({ ...changes, sources: looking(['journal', begin, 900]) })
      expect(at(from).wasLooking('journal')).toBe(true)
      expect(at(from + 0.1).wasLooking('journal')).toBe(false)
    },
  )

  it('is not a list of events an hour after the death, unless it still has some', () => {
    const sources = looking('kubernetes/events', 'journal')
    const later = { pod, sources, now: second(END + 3600) }
    expect(dossier({ ...later, now: second(END + 3599) }).wasLooking('kubernetes/events')).toBe(true)
    expect(dossier(later).wasLooking('kubernetes/events')).toBe(false)
    expect(dossier({ ...later, events: [makeEvent()] }).wasLooking('kubernetes/events')).toBe(true)
    expect(dossier(later).wasLooking('journal')).toBe(true)
  })
})

describe('a line from before the pod was created', () => {
  const said = (changes: Parameters<typeof journalFact>[1]) =>
    dossier({ pod: makePod(), clues: [journalFact('x', changes)] })

  it.each([
    ['is about an earlier pod of the name', { at: -5.1 }, 0],
    ['is about it within the clock difference', { at: -5 }, 1],
    ['is about it without a time', { at: null }, 1],
    ['is about it if it comes from GitHub', { at: -900, source: 'github/annotations' }, 1],
  ])('%s', (_what, changes, count) => {
    expect(said(changes).subjectClues('x')).toHaveLength(count)
  })

  it('still counts for the node, at any time', () => {
    expect(
      dossier({ pod: makePod(), clues: [journalFact('x', { at: -900, about: 'node' })] }).nodeClues('x'),
    ).toHaveLength(1)
  })

  it('is kept if the creation time of the pod is not known', () => {
    const clues = [journalFact('x', { at: -900 })]
    expect(dossier({ clues }).subjectClues('x')).toHaveLength(1)
    expect(dossier({ pod: makePod({ createdAt: null }), clues }).subjectClues('x')).toHaveLength(1)
  })
})

describe('the clocks of the evidence', () => {
  it('are aligned before it is read', () => {
    const events = [makeEvent({ firstAt: second(10), createdAt: second(100) })]
    expect(dossier({ pod: endedPod(137), events }).ending.at).toBe(second(END + 90))
  })
})
