import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { before, dead, buildEvent, buildNode, nodeEvent } from '#test/fleets/cluster-parts.ts'
import { END, RUNNER, classes, findFinding } from '#test/fleets/network-case.ts'
import type { NetworkCase } from '#test/fleets/network-case.ts'

const QUIET = ['no-cluster-evidence']
const ofController = { reporter: 'node-controller' }

describe('the runner was evicted, or its node was under pressure', () => {
  const YES = ['eviction-or-pressure']
  const own = (more: Fields): NetworkCase => ({ lists: { pods: [dead(RUNNER, END, more)] } })
  const target = (reason: string): Fields => ({
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: before(END) }],
  })
  const pressure = (status: string, since: number): NetworkCase => ({
    nodes: [buildNode('sting', { conditions: [{ type: 'DiskPressure', status, since }] })],
  })
  it.each<readonly [string, readonly string[], NetworkCase]>([
    ['by the kubelet', YES, own({ reason: 'Evicted' })],
    ['by the scheduler', YES, own(target('PreemptionByScheduler'))],
    ['by a call, from a node that stays', YES, own(target('EvictionByEvictionAPI'))],
    ['from an event', YES, { lists: { events: [buildEvent('Evicted', 10, RUNNER, { host: 'sting' })] } }],
    ['of disk, which it still is', YES, pressure('True', 12)],
    ['of disk, which is over', YES, pressure('False', 12)],
    ['of disk only later', QUIET, pressure('True', 7)],
    [
      'of disk only as it came up',
      QUIET,
      {
        nodes: [
          buildNode('sting', {
            age: 14,
            readySince: 13,
            conditions: [{ type: 'DiskPressure', status: 'False', since: 12 }],
          }),
        ],
      },
    ],
    ['by the kubelet, which also marks it', YES, own({ reason: 'Evicted', ...target('TerminationByKubelet') })],
    ['of disk only before', QUIET, pressure('False', 31)],
    ['from its events', YES, { lists: { events: [nodeEvent('EvictionThresholdMet', 12, 'sting')] } }],
    ['as it put another out', YES, { lists: { events: [buildEvent('Evicted', 12, 'other', { host: 'sting' })] } }],
    [
      'but it was another node',
      QUIET,
      {
        lists: { events: [nodeEvent('SystemOOM', 12, 'honey'), buildEvent('Evicted', 12, 'other', { host: 'honey' })] },
      },
    ],
  ])('%s', (_title, expected, given) => {
    expect(classes(given)).toEqual(expected)
  })

  it('is reported for the pod if the runner itself was evicted', () => {
    expect(findFinding(own({ reason: 'Evicted' }), 'eviction-or-pressure')?.subject).toMatchObject({
      kind: 'Pod',
      name: RUNNER,
    })
    expect(findFinding(pressure('True', 12), 'eviction-or-pressure')?.subject).toMatchObject({
      kind: 'Node',
      name: 'sting',
    })
  })
})

describe('the node was removed', () => {
  const YES = ['node-removed']
  const target = (reason: string, more: NetworkCase = {}): NetworkCase => ({
    ...more,
    lists: {
      ...more.lists,
      pods: [
        dead(RUNNER, END, {
          conditions: [{ type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: before(END) }],
        }),
      ],
    },
  })
  it.each<readonly [string, readonly string[], NetworkCase]>([
    ['and is gone', YES, { lists: { nodes: [buildNode('honey')] } }],
    ['as the garbage collector found', YES, target('DeletionByPodGC')],
    ['by a taint', YES, target('DeletionByTaintManager')],
    [
      'by a drain of a cordoned node',
      YES,
      target('EvictionByEvictionAPI', { nodes: [buildNode('sting', { cordoned: true })] }),
    ],
    ['as its machine shut down', YES, target('TerminationByKubelet')],
    ['is not what a cordon alone is', QUIET, { nodes: [buildNode('sting', { cordoned: true })] }],
    ['and is being deleted', YES, { nodes: [buildNode('sting', { deleted: 9 })] }],
    [
      'by the autoscaler',
      YES,
      { nodes: [buildNode('sting', { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] })] },
    ],
    [
      'is not what a mere candidate is',
      QUIET,
      {
        nodes: [
          buildNode('sting', { taints: [{ key: 'DeletionCandidateOfClusterAutoscaler', effect: 'PreferNoSchedule' }] }),
        ],
      },
    ],
    [
      'for the cloud wanted its machine',
      YES,
      { lists: { events: [nodeEvent('SpotInterrupted', 12, 'sting', { reporter: 'karpenter' })] } },
    ],
    [
      'is not what a blocked disruption is',
      QUIET,
      { lists: { events: [nodeEvent('DisruptionBlocked', 12, 'sting', { reporter: 'karpenter' })] } },
    ],
    [
      'but long after the end',
      QUIET,
      { lists: { nodes: [buildNode('honey')], events: [nodeEvent('RemovingNode', 3, 'sting', ofController)] } },
    ],
    ['but it was another', QUIET, { lists: { events: [nodeEvent('RemovingNode', 12, 'honey', ofController)] } }],
  ])('%s', (_title, expected, own) => {
    expect(classes(own)).toEqual(expected)
  })

  it('is unknown for a missing node without events that cover the window', () => {
    const lists = { nodes: [buildNode('honey')], pods: [dead(RUNNER, 200)] }
    expect(classes({ lists })).toEqual(['blind'])
  })
})
