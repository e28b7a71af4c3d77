import { describe, expect, it } from 'vitest'

import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Fact } from '#/core/why/fact.ts'
import { evictions, leftBeforeEviction, limitedByUnknownState, reasonFact } from './shared-facts.ts'
import {
  END,
  makeCondition,
  endedPod,
  eventFact,
  makeEvidence,
  makeJob,
  makeLog,
  looking,
  makePod,
  second,
} from '#test/why/evidence.ts'

const dossier = (changes: Partial<Evidence>) => openDossier(makeEvidence(changes))
const names = (facts: readonly Fact[]) => facts.map(({ is }) => is)

describe('the reason of a pod', () => {
  const pod = makePod({ reason: 'Evicted', message: 'The node was low on resource: memory.' })

  it('counts with the message that it must have', () => {
    expect(reasonFact(dossier({ pod }), /^Evicted$/)).toHaveLength(1)
    expect(reasonFact(dossier({ pod }), /^Evicted$/, /low/)).toHaveLength(1)
    expect(reasonFact(dossier({ pod }), /^Evicted$/, /limit/)).toEqual([])
    expect(reasonFact(dossier({ pod }), /^Preempting$/)).toEqual([])
    expect(reasonFact(dossier({}), /^$/)).toEqual([])
  })
})

describe('an eviction', () => {
  const LOW = 'The node was low on resource: memory.'
  const disrupted = (type: string, status: string, message: string) =>
    makePod({ conditions: [makeCondition(type, { status, message })] })

  it('is shown by the condition of the pod', () => {
    expect(names(evictions(dossier({ pod: disrupted('DisruptionTarget', 'True', LOW) })).node)).toEqual(['disruption'])
    expect(evictions(dossier({ pod: disrupted('DisruptionTarget', 'False', LOW) })).node).toEqual([])
    expect(evictions(dossier({ pod: disrupted('Ready', 'True', LOW) })).node).toEqual([])
    expect(evictions(dossier({ pod: disrupted('DisruptionTarget', 'True', 'drained') })).node).toEqual([])
  })

  it.each([
    [
      'after the runner exited by itself',
      [eventFact('evicted-for-node')],
      endedPod(0, { finishedAt: second(594.9) }),
      1,
    ],
    ['as it left', [eventFact('evicted-for-node')], endedPod(0, { finishedAt: second(595) }), 0],
    ['after it was killed', [eventFact('evicted-for-node')], endedPod(137, { finishedAt: second(500) }), 0],
    ['after it exited at an unknown time', [eventFact('evicted-for-node')], endedPod(0, { finishedAt: null }), 0],
    [
      'by the condition, after it exited',
      [],
      endedPod(0, { finishedAt: second(500) }, { conditions: [makeCondition('DisruptionTarget', { message: LOW })] }),
      1,
    ],
    [
      'after it exited, regardless of a condition that is not true',
      [eventFact('evicted-for-node')],
      endedPod(
        0,
        { finishedAt: second(500) },
        { conditions: [makeCondition('DisruptionTarget', { status: 'False', since: second(0) })] },
      ),
      1,
    ],
    [
      'by another condition before it exited',
      [eventFact('evicted-for-node')],
      endedPod(0, { finishedAt: second(500) }, { conditions: [makeCondition('Ready', { since: second(0) })] }),
      1,
    ],
  ])('came %s', (_what, clues, pod, count) => {
    expect(leftBeforeEviction(dossier({ clues, pod }))).toHaveLength(count)
  })

  it('has no time if only the pod reason shows it: the end of the container is not the time of the eviction', () => {
    const pod = endedPod(
      0,
      { finishedAt: second(500) },
      {
        reason: 'Evicted',
        message: LOW,
        conditions: [makeCondition('DisruptionTarget', { message: LOW, since: second(END) })],
      },
    )
    expect(leftBeforeEviction(dossier({ pod }))).toHaveLength(1)
  })

  it.each([
    ['nothing is known but the event', {}, 0.3],
    [
      'the kubelet stopped it',
      { clues: [eventFact('kubelet-stops-container', { fields: { container: 'runner' } })] },
      null,
    ],
    ['there is a log', { log: makeLog() }, null],
    ['there is a job', { job: makeJob() }, null],
    ['the status was lost', { pod: endedPod(137, { reason: 'ContainerStatusUnknown' }) }, 0.5],
    [
      'the status was lost and the journal covers the time',
      { pod: endedPod(137, { reason: 'ContainerStatusUnknown' }), sources: looking('journal') },
      null,
    ],
    ['the status is known', { pod: endedPod(137) }, null],
  ] satisfies readonly (readonly [string, Partial<Evidence>, number | null])[])(
    'is limited by the unknown state when %s: %s',
    (_what, changes, at) => {
      const [limit] = limitedByUnknownState(dossier(changes))
      expect(limit?.kind === 'limit' ? limit.at : null).toBe(at)
    },
  )
})
