import { describe, expect, it } from 'vitest'

import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { readEnding } from './ending.ts'
import type { Evidence } from './evidence.ts'
import type { Fact } from './fact.ts'
import { readRemovals } from './removal.ts'
import { readStopping } from './stopping.ts'
import {
  END,
  makeAudit,
  makeCondition,
  endedPod,
  eventFact,
  makeEvidence,
  journalFact,
  makePod,
  second,
} from '#test/why/evidence.ts'

/** Everybody who asked for an ordinary end, by name. */
const askers = (changes: Partial<Evidence>) => {
  const evidence = makeEvidence(changes)
  const ending = readEnding(evidence)
  return readStopping(evidence, ending, readRemovals(evidence, ending)).requests.map(({ by }) => by)
}
const pod = endedPod(143)

describe('who requested the end, by the audit log', () => {
  it.each([
    ['an ordinary delete asks', { graceSeconds: 30 }, ['user:alice']],
    ['a forced one does not: it takes', { graceSeconds: 0 }, []],
    ['one after the end does not', { at: END + 60 }, []],
  ])('%s', (_what, line, expected) => {
    expect(askers({ pod, auditLog: [makeAudit(line)] })).toEqual(expected)
  })
})

describe('who requested the end, by the object', () => {
  const disrupted = (reason: string, message: string | null = null, status = 'True'): Partial<PodFacts> => ({
    conditions: [makeCondition('DisruptionTarget', { reason, message, status })],
  })

  it.each([
    ['the scheduler preempts', disrupted('PreemptionByScheduler'), ['kube-scheduler']],
    ['a taint evicts', disrupted('DeletionByTaintManager'), ['taint-eviction-controller']],
    ['an eviction by the API names no actor', disrupted('EvictionByEvictionAPI'), [null]],
    ['a condition that is not true asks nothing', disrupted('PreemptionByScheduler', null, 'False'), []],
    [
      'a node that was low is no asking',
      disrupted('TerminationByKubelet', 'The node was low on resource: memory.'),
      [],
    ],
    [
      'a node that had a condition is no asking',
      disrupted('TerminationByKubelet', 'The node had condition: [DiskPressure].'),
      [],
    ],
    ['the garbage collector cleans up after a node', disrupted('DeletionByPodGC'), []],
    [
      'another condition asks nothing',
      { conditions: [makeCondition('Ready', { reason: 'PreemptionByScheduler' })] },
      [],
    ],
    [
      'a node that shuts down',
      { reason: 'Terminated', message: 'Pod was terminated in response to imminent node shutdown.' },
      ['kubelet'],
    ],
    ['a reason without a shutdown', { reason: 'Terminated', message: 'by hand' }, []],
    [
      'a critical pod that needs the room',
      { reason: 'Preempting', message: 'Preempted in order to admit critical pod' },
      ['kubelet'],
    ],
    [
      'a shutdown of a pod that ran',
      { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' },
      ['kubelet'],
    ],
    [
      'a shutdown before the pod began is a refusal',
      { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.', startedAt: null },
      [],
    ],
    ['another reason', { reason: 'Evicted', message: 'node shutdown' }, []],
  ] satisfies readonly (readonly [string, Partial<PodFacts>, readonly (string | null)[]])[])(
    '%s',
    (_what, changes, expected) => {
      expect(askers({ pod: makePod(changes) })).toEqual(expected)
    },
  )

  it('counts both a condition and a reason', () => {
    const changes = { ...disrupted('TerminationByKubelet'), reason: 'Terminated', message: 'node shutdown' }
    expect(askers({ pod: makePod(changes) })).toEqual(['kubelet', 'kubelet'])
  })
})

describe('who requested the end, by events', () => {
  const CASES: readonly (readonly [what: string, clues: readonly Fact[], expected: readonly string[]])[] = [
    ['the scheduler preempts', [eventFact('preempted-by-scheduler')], ['kube-scheduler']],
    ['the kubelet makes room', [eventFact('preempted-for-critical-pod')], ['kubelet']],
    ['karpenter evicts', [eventFact('karpenter-evicts')], ['karpenter']],
    ['a taint evicts', [eventFact('taint-evicts-pod', { at: 500 })], ['taint-eviction-controller']],
    [
      'a taint eviction that was taken back ended nothing',
      [eventFact('taint-evicts-pod', { at: 500 }), eventFact('taint-eviction-cancelled', { at: 510 })],
      [],
    ],
    [
      'one after the taking back did',
      [eventFact('taint-eviction-cancelled', { at: 490 }), eventFact('taint-evicts-pod', { at: 500 })],
      ['taint-eviction-controller'],
    ],
    [
      'the taking back of a taint spares no one from the scheduler',
      [eventFact('preempted-by-scheduler', { at: 500 }), eventFact('taint-eviction-cancelled', { at: 510 })],
      ['kube-scheduler'],
    ],
    ['an event after the end asked for nothing', [eventFact('karpenter-evicts', { at: END + 2.1 })], []],
    ['an event without a time counts', [eventFact('karpenter-evicts', { at: null })], ['karpenter']],
    ['an event of another pod does not count', [eventFact('karpenter-evicts', { about: 'node' })], []],
    [
      'a notice of the node counts near the end',
      [eventFact('karpenter-disrupts', { about: 'node', at: 300 })],
      ['karpenter'],
    ],
    ['so does the autoscaler', [eventFact('autoscaler-removes-node', { about: 'node' })], ['cluster-autoscaler']],
    ['so does a node that shuts down', [journalFact('node-shutting-down', { about: 'node' })], ['kubelet']],
    ['a notice ten minutes before is too old', [eventFact('karpenter-disrupts', { about: 'node', at: 0 })], []],
    ['a notice after the end is too late', [eventFact('karpenter-disrupts', { about: 'node', at: END + 3 })], []],
    ['a notice without a time is nothing', [eventFact('karpenter-disrupts', { about: 'node', at: null })], []],
    ['a notice about the pod itself is none of the node', [eventFact('karpenter-disrupts')], []],
    ['other words of the node ask nothing', [journalFact('io-error', { about: 'node' })], []],
  ]

  it.each(CASES)('%s', (_what, clues, expected) => {
    expect(askers({ pod, clues })).toEqual(expected)
  })

  it('ignores a node event if the time of the end is not known', () => {
    expect(askers({ pod: makePod(), clues: [eventFact('karpenter-disrupts', { about: 'node' })] })).toEqual([])
    expect(askers({ pod: makePod(), clues: [eventFact('karpenter-evicts')] })).toEqual(['karpenter'])
  })
})

describe('a probe that failed', () => {
  const probe = (at: number, last: number | null = null) =>
    eventFact('probe-failed', {
      at,
      text: 'Unhealthy: Liveness probe failed: ',
      fields: last === null ? {} : { last: String(second(last)) },
    })
  const stop = eventFact('kubelet-stops-container', { at: 570, fields: { container: 'runner' } })

  it.each([
    ['at once before the stop is the reason', [probe(569), stop], ['kubelet']],
    ['long before the stop is not', [probe(500), stop], []],
    ['again and again until the stop is', [probe(500, 569), stop], ['kubelet']],
    ['without any stop is not', [probe(569)], []],
    ['beside a stop without a time is not', [probe(569), { ...stop, at: null }], []],
    ['without a time is not', [{ ...probe(569), at: null }, stop], []],
    [
      'as the kubelet decides on it is',
      [journalFact('probe-failed', { at: 100, text: '"SyncLoop (probe)" probe="liveness"' })],
      ['kubelet'],
    ],
    [
      'by which the container is restarted is',
      [journalFact('probe-failed', { text: 'Container runner failed liveness probe, will be restarted' })],
      ['kubelet'],
    ],
    ['of another pod is not', [{ ...probe(569), about: 'node' as const }, stop], []],
  ] satisfies readonly (readonly [string, readonly Fact[], readonly string[]])[])('%s', (_what, clues, expected) => {
    expect(askers({ pod, clues })).toEqual(expected)
  })
})
