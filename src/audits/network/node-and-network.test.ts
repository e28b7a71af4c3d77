import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import {
  before,
  daemon,
  ended,
  buildEvent,
  buildLease,
  buildNode,
  nodeEvent,
  buildPod,
  running,
} from '#test/fleets/cluster-parts.ts'
import { RUNNER, classes, findFinding } from '#test/fleets/network-case.ts'
import type { NetworkCase } from '#test/fleets/network-case.ts'

const QUIET = ['no-cluster-evidence']
const ofController = { reporter: 'node-controller' }

describe("the runner's node was not ready", () => {
  const YES = ['node-not-ready']
  it.each<readonly [string, readonly string[], NetworkCase]>([
    ['and still is not', YES, { nodes: [buildNode('sting', { ready: 'Unknown', readySince: 12 })] }],
    ['long since', YES, { nodes: [buildNode('sting', { ready: 'False', readySince: 300 })] }],
    ['but only after the window', QUIET, { nodes: [buildNode('sting', { ready: 'Unknown', readySince: 7 })] }],
    ['and came back within the window', YES, { nodes: [buildNode('sting', { readySince: 12 })] }],
    ['and came back before it', QUIET, { nodes: [buildNode('sting', { readySince: 31 })] }],
    ['only when it first came up', QUIET, { nodes: [buildNode('sting', { age: 14, readySince: 12 })] }],
    ['from an event', YES, { lists: { events: [nodeEvent('NodeNotReady', 12, 'sting', ofController)] } }],
    ['from an event of its pod', YES, { lists: { events: [buildEvent('NodeNotReady', 12, RUNNER, ofController)] } }],
    [
      'as a row of events shows',
      YES,
      { lists: { events: [nodeEvent('NodeNotReady', 2, 'sting', { ...ofController, first: 50, count: 9 })] } },
    ],
    ['for it rebooted', YES, { lists: { events: [nodeEvent('Rebooted', 12, 'sting')] } }],
    [
      'for it got the taint',
      YES,
      {
        nodes: [
          buildNode('sting', {
            taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: before(12) }],
          }),
        ],
      },
    ],
    ['but it was another node', QUIET, { nodes: [buildNode('honey', { ready: 'Unknown', readySince: 12 })] }],
    [
      'but it was an event of another',
      QUIET,
      { lists: { events: [nodeEvent('NodeNotReady', 12, 'honey', ofController)] } },
    ],
    [
      'is not said by a start that ended in being ready',
      QUIET,
      { nodes: [buildNode('sting', { age: 14 })], lists: { events: [nodeEvent('NodeReady', 12, 'sting')] } },
    ],
  ])('%s', (_title, expected, own) => {
    expect(classes(own)).toEqual(expected)
  })
})

const back = (at: number): { readonly restarts: number; readonly state: Fields; readonly last: Fields } => ({
  restarts: 1,
  state: running(at),
  last: ended(at + 0.1),
})

describe('the network plugin', () => {
  const YES = ['cni-restart']
  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['came back within the window', YES, [daemon('c', 'calico-node', back(12))]],
    ['came back before it', QUIET, [daemon('c', 'calico-node', back(31))]],
    ['came back after it', QUIET, [daemon('c', 'calico-node', back(7))]],
    ['came back on another node', QUIET, [daemon('c', 'calico-node', { ...back(12), node: 'honey' })]],
    [
      'ended within it and waits',
      YES,
      [daemon('c', 'cilium', { restarts: 3, state: { waiting: { reason: 'CrashLoopBackOff' } }, last: ended(12) })],
    ],
    ['was put in place of another', YES, [daemon('c', 'aws-node', { age: 12, state: running(12) })]],
    [
      'is not ready',
      YES,
      [
        daemon('c', 'kindnet', {
          state: running(300),
          conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: before(12) }],
        }),
      ],
    ],
    [
      'has an operator that came back',
      QUIET,
      [buildPod('c', { owner: { kind: 'ReplicaSet', name: 'cilium-operator-5f' }, ...back(12) })],
    ],
    ['is not any daemon', QUIET, [daemon('c', 'log-shipper', back(12))]],
    ...[
      'flannel',
      'kube-flannel-ds',
      'weave-net',
      'azure-cni',
      'antrea-agent',
      'kube-router',
      'ovnkube-node',
      'multus',
      'canal',
      'cilium-agent',
    ].map((name): readonly [string, readonly string[], readonly Fields[]] => [
      `may be ${name}`,
      YES,
      [daemon('c', name, back(12))],
    ]),
  ])('%s', (_title, expected, pods) => {
    expect(classes({ pods })).toEqual(expected)
  })

  it.each<readonly [string, readonly string[], NetworkCase]>([
    [
      'has the events of its restart',
      YES,
      { pods: [daemon('c', 'calico-node', { state: running(300) })], lists: {}, nodes: [] },
    ],
    ['is not ready for pods', YES, { lists: { events: [buildEvent('NetworkNotReady', 12, 'x', { host: 'sting' })] } }],
    [
      'is not ready for pods of another node',
      QUIET,
      { lists: { events: [buildEvent('NetworkNotReady', 12, 'x', { host: 'honey' })] } },
    ],
    [
      'has no addresses left, which cuts nobody off',
      QUIET,
      {
        lists: {
          events: [
            buildEvent('FailedCreatePodSandBox', 12, 'x', {
              host: 'sting',
              message: 'cni: failed to assign an IP address',
            }),
          ],
        },
      },
    ],
    [
      'says by the condition that it is down',
      YES,
      { nodes: [buildNode('sting', { conditions: [{ type: 'NetworkUnavailable', status: 'True', since: 12 }] })] },
    ],
    [
      'says that it came back',
      YES,
      { nodes: [buildNode('sting', { conditions: [{ type: 'NetworkUnavailable', status: 'False', since: 12 }] })] },
    ],
    [
      'came up with its node',
      QUIET,
      {
        nodes: [
          buildNode('sting', {
            age: 14,
            readySince: 12,
            conditions: [{ type: 'NetworkUnavailable', status: 'False', since: 12 }],
          }),
        ],
        pods: [daemon('c', 'calico-node', { age: 13.9, ...back(13) })],
      },
    ],
  ])('%s', (_title, expected, own) => {
    const events = [buildEvent('Killing', 12, 'c', { namespace: 'kube-system', host: 'sting' })]
    const given = _title.startsWith('has the events') ? { ...own, lists: { events } } : own
    expect(classes(given)).toEqual(expected)
  })

  it('is the subject, with the command that shows its last log', () => {
    const finding = findFinding({ pods: [daemon('c', 'calico-node', back(12))] }, 'cni-restart')
    expect(finding?.subject).toEqual({ kind: 'Pod', namespace: 'kube-system', name: 'c' })
    expect(finding?.hint).toContain('kubectl -n kube-system logs c')
  })
})

describe('the cluster DNS', () => {
  const YES = ['dns-gap']
  const coredns = (own: Fields): Fields =>
    buildPod('coredns-1', {
      namespace: 'kube-system',
      node: 'honey',
      age: 1000,
      owner: { kind: 'ReplicaSet', name: 'coredns-668' },
      ...own,
    })
  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['came back, on whatever node', YES, [coredns(back(12))]],
    ['came back before the window', QUIET, [coredns(back(31))]],
    [
      'is not ready',
      YES,
      [
        coredns({
          state: running(900),
          conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: before(12) }],
        }),
      ],
    ],
    ['was rolled out, one after the other', QUIET, [coredns({ age: 12, state: running(12) })]],
    ['has a pod on the own node that came back', YES, [daemon('d', 'node-local-dns', back(12))]],
    ['has one on another node that came back', QUIET, [daemon('d', 'node-local-dns', { ...back(12), node: 'honey' })]],
  ])('%s', (_title, expected, pods) => {
    expect(classes({ pods })).toEqual(expected)
  })
})

describe('the cluster DNS on a new node', () => {
  it('starts with the node', () => {
    const own = { namespace: 'kube-system', node: 'honey', age: 13, owner: { kind: 'ReplicaSet', name: 'coredns-668' } }
    const nodes = [buildNode('honey', { age: 14 })]
    expect(classes({ nodes, pods: [buildPod('coredns-1', { ...own, ...back(12) })] })).toEqual(QUIET)
  })
})

describe('a whole fleet without leases of its nodes', () => {
  it('has no findings', () => {
    expect(classes({ lists: { leases: [buildLease('x', 0.1, { namespace: 'kube-system' })] } })).toEqual(QUIET)
  })
})
