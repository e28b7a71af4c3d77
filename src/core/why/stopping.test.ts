import { describe, expect, it } from 'vitest'

import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { readEnding } from '#/core/why/ending.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import { readRemovals } from '#/core/why/removal.ts'
import { readStopping } from '#/core/why/stopping.ts'
import {
  CONTAINER_ID,
  END,
  SIDECAR_ID,
  annotationFact,
  makeAudit,
  makeCondition,
  endedPod,
  eventFact,
  makeEvidence,
  journalFact,
  logFact,
  makeLog,
  makePod,
  second,
} from '#test/why/evidence.ts'

const stopping = (changes: Partial<Evidence>) => {
  const evidence = makeEvidence(changes)
  const ending = readEnding(evidence)
  return readStopping(evidence, ending, readRemovals(evidence, ending))
}

const killing = (container: string, at = 570, fields: Record<string, string> = {}) =>
  eventFact('kubelet-stops-container', { at, fields: { container, ...fields } })
const pod = endedPod(143)

describe('a stop', () => {
  const CASES: readonly (readonly [what: string, clue: Fact, pod: PodFacts | null, counts: boolean])[] = [
    ['of the container by its name counts', killing('runner'), pod, true],
    ['of a sidecar does not count', killing('dind'), pod, false],
    [
      'by the id of the container counts',
      journalFact('stop-requested', { fields: { container: CONTAINER_ID } }),
      pod,
      true,
    ],
    [
      'by the id of a sidecar does not count',
      journalFact('stop-requested', { fields: { container: SIDECAR_ID } }),
      pod,
      false,
    ],
    ['that names no container counts', journalFact('short-grace'), pod, true],
    ['by a name beside the id counts', journalFact('stop-done', { fields: { name: 'runner' } }), pod, true],
    [
      'by the name of a sidecar beside the id does not count',
      journalFact('stop-done', { fields: { name: 'dind' } }),
      pod,
      false,
    ],
    ['without a pod counts for a container with runner in its name', killing('gha-runner'), null, true],
    ['without a pod does not count for another name', killing('dind'), null, false],
    [
      'without a pod counts by any id',
      journalFact('stop-requested', { fields: { container: SIDECAR_ID } }),
      null,
      true,
    ],
    ['of another pod does not count', { ...killing('runner'), about: 'node' }, pod, false],
    ['after the end by more than whole seconds blur does not count', killing('runner', END + 2.1), pod, false],
    ['within the blur after the end counts', killing('runner', END + 2), pod, true],
    ['without a time counts', { ...killing('runner'), at: null }, pod, true],
    ['is not just any line', journalFact('container-exit', { fields: { container: CONTAINER_ID } }), pod, false],
  ]

  it.each(CASES)('%s', (_what, clue, object, counts) => {
    expect(stopping({ pod: object, clues: [clue] }).stops).toEqual(counts ? [clue] : [])
  })

  it('counts long after the last log line, which is not the end', () => {
    const clues = [killing('runner', 570)]
    expect(stopping({ pod: makePod(), log: makeLog({ lastAt: second(100) }), clues }).stops).toEqual(clues)
  })

  it('does not count by id if two containers ended and the runner is not known', () => {
    const exits = [CONTAINER_ID, SIDECAR_ID].map((container) =>
      journalFact('container-exit', { fields: { code: '137', container } }),
    )
    const stop = journalFact('stop-requested', { fields: { container: CONTAINER_ID } })
    expect(stopping({ clues: [...exits, stop] }).stops).toEqual([])
  })

  it('has the grace that was given, from the first fact that has it', () => {
    expect(
      stopping({ pod, clues: [killing('runner', 570), killing('runner', 571, { seconds: '30' })] }).graceSeconds,
    ).toBe(30)
    expect(stopping({ pod, clues: [killing('runner')] }).graceSeconds).toBeNull()
  })
})

describe('a signal that the runner received', () => {
  const NOTHING = makePod()

  it.each(['runner-stop-requested', 'shutdown-annotated', 'os-shutdown-annotated', 'interrupted'])(
    'is shown by %s',
    (is) => {
      expect(stopping({ pod: NOTHING, clues: [logFact(is)] }).stopSigns).toHaveLength(1)
    },
  )

  it.each([
    [143, 1],
    [130, 1],
    [137, 0],
    [0, 0],
  ])('is shown by the code %i: %i', (code, count) => {
    expect(stopping({ pod: endedPod(code) }).stopSigns).toHaveLength(count)
  })

  it('is not shown by a log line after the end, but GitHub may report it later', () => {
    const late = { at: END + 60 }
    expect(stopping({ pod: endedPod(1), clues: [logFact('runner-stop-requested', late)] }).stopSigns).toEqual([])
    expect(stopping({ pod: endedPod(1), clues: [annotationFact('shutdown-annotated', late)] }).stopSigns).toHaveLength(
      1,
    )
    expect(
      stopping({ pod: endedPod(1), clues: [logFact('runner-stop-requested', { at: null })] }).stopSigns,
    ).toHaveLength(1)
  })

  it('is not shown by a line about another pod', () => {
    expect(stopping({ pod: NOTHING, clues: [logFact('interrupted', { about: 'node' })] }).stopSigns).toEqual([])
  })
})

describe('SIGKILL at the end of the grace period', () => {
  const killed = (waited: number, code = 137, changes: Partial<Evidence> = {}) =>
    stopping({ pod: endedPod(code), clues: [killing('runner', END - waited)], ...changes }).killed.map(({ is }) => is)

  it.each([
    ['exactly the grace', 30, ['grace-ran-out']],
    ['the grace within the blur', 33, ['grace-ran-out']],
    ['more than the grace and the blur', 33.1, []],
    ['less than the grace', 26.9, []],
  ])('is seen by the time between stop and end: %s', (_what, waited, expected) => {
    expect(killed(waited)).toEqual(expected)
  })

  it('is not seen with another exit code', () => {
    expect(killed(30, 143)).toEqual([])
  })

  it('is not seen if the grace is not known or there was no request', () => {
    const unknown = { pod: endedPod(137, {}, { specGraceSeconds: null }) }
    expect([...killed(30, 137, unknown), ...killed(2, 137, unknown)]).toEqual([])
    expect(stopping({ pod: endedPod(137) }).killed).toEqual([])
  })

  it('is not seen if a stop or the end has no time', () => {
    expect(stopping({ pod: endedPod(137), clues: [{ ...killing('runner'), at: null }] }).killed).toEqual([])
    expect(killed(30, 137, { pod: endedPod(137, { finishedAt: null }) })).toEqual([])
  })

  it('is counted from the first request, which may be in the audit log', () => {
    const audit = [makeAudit({ at: END - 30, graceSeconds: 30 })]
    expect(killed(2, 137, { auditLog: audit })).toEqual(['grace-ran-out'])
  })

  it('is not counted from the deletion time in the object, which moves', () => {
    const object = endedPod(137, {}, { deletedAt: second(END), graceSeconds: 30 })
    expect(stopping({ pod: object }).killed).toEqual([])
    const marked = { conditions: [makeCondition('DisruptionTarget', { since: second(END - 30) })] }
    expect(stopping({ pod: endedPod(137, {}, marked) }).killed).toEqual([])
  })

  it('is shown by the runtime itself, for this container only', () => {
    const kill = (container: string) => journalFact('kill-sent', { fields: { container } })
    expect(stopping({ pod, clues: [kill(CONTAINER_ID), kill(SIDECAR_ID)] }).killed).toEqual([kill(CONTAINER_ID)])
    expect(
      stopping({ pod: endedPod(137), clues: [killing('runner', END - 30), kill(CONTAINER_ID)] }).killed,
    ).toHaveLength(2)
  })
})
