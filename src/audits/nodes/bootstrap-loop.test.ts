import { describe, expect, it } from 'vitest'
import { nodes } from './audit.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import {
  before,
  daemon,
  ended,
  buildEvent,
  buildNode,
  nodeEvent,
  buildPod,
  running,
  stuck,
  waits,
} from '#test/fleets/cluster-parts.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'

const found = (lists: Lists): readonly string[] =>
  nodes
    .examine(buildFleet({ nodes: [buildNode('sting')], ...lists }), WHOLE_FLEET)
    .filter((one) => one.class === 'bootstrap-loop')
    .map(({ subject }) => `${subject.kind} ${subject.name}`)

const LOOP = ['Node sting']
const times = (count: number, make: (index: number) => Fields): readonly Fields[] =>
  Array.from({ length: count }, (_, index) => make(index))
const start = (index: number): Fields => nodeEvent('Starting', index * 5, 'sting', { message: 'Starting kubelet.' })
const sandbox = (count: number, at = 1, first = 20): Fields =>
  buildEvent('FailedCreatePodSandBox', at, 'a', { count, first, host: 'sting' })

describe('a node in a bootstrap loop', () => {
  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['has five starts of its kubelet', LOOP, times(5, start)],
    ['has not four', [], times(4, start)],
    [
      'has them within the hour',
      [],
      times(5, (index) => nodeEvent('Starting', 40 + index * 10, 'sting', { message: 'Starting kubelet.' })),
    ],
    [
      'does not count starts of kube-proxy',
      [],
      times(9, (index) => nodeEvent('Starting', index, 'sting', { message: '', reporter: 'kube-proxy' })),
    ],
    ['has five reboots', LOOP, times(5, (index) => nodeEvent('Rebooted', index * 10, 'sting'))],
    [
      'does not add a reboot to the start of its kubelet',
      [],
      [...times(4, start), ...times(4, (index) => nodeEvent('Rebooted', index * 5, 'sting'))],
    ],
    ['has a runtime that starts', LOOP, [nodeEvent('ContainerdStart', 1, 'sting', { count: 6, first: 40 })]],
    [
      'was taken out and came back',
      LOOP,
      times(5, (index) => nodeEvent('RemovingNode', index * 8, 'sting', { reporter: 'node-controller' })),
    ],
    [
      'only registered again and again, which a restart of the controller does',
      [],
      times(9, (index) => nodeEvent('RegisteredNode', index, 'sting')),
    ],
    ['gives no pod a sandbox', LOOP, [sandbox(5)]],
    ['gave four pods none', [], [sandbox(4)]],
    [
      'has no network for its pods',
      LOOP,
      [buildEvent('NetworkNotReady', 1, 'a', { count: 8, first: 3, host: 'sting' })],
    ],
    ['is shown by its provisioner', LOOP, [nodeEvent('BootstrapFailed', 2, 'sting', { count: 7, first: 30 })]],
    [
      'takes the part of a long row that lies in the hour',
      LOOP,
      [nodeEvent('BootstrapFailed', 0, 'sting', { count: 2400, first: 48 * 60 })],
    ],
    [
      'does not take a row that is slow',
      [],
      [nodeEvent('BootstrapFailed', 0, 'sting', { count: 100, first: 48 * 60 })],
    ],
  ])('%s', (_title, expected, events) => {
    expect(found({ pods: [stuck('a', 4)], events })).toEqual(expected)
  })

  it('has recovered once a pod starts', () => {
    const events = [sandbox(20, 10), buildEvent('NetworkNotReady', 10, 'b', { count: 20, host: 'sting' })]
    expect(found({ pods: [buildPod('c', { age: 15, state: running(9) })], events })).toEqual([])
    expect(found({ pods: [buildPod('c', { age: 15, state: running(11) })], events })).toEqual(LOOP)
    expect(found({ pods: [buildPod('a', { age: 20, state: running(10) })], events: [sandbox(20, 10)] })).toEqual([])
  })

  it.each<readonly [string, readonly string[], Fields]>([
    [
      'restarts its network plugin, which is young',
      LOOP,
      daemon('c', 'calico-node', { age: 30, restarts: 5, state: running(1), last: ended(1.1) }),
    ],
    [
      'restarted it four times',
      [],
      daemon('c', 'calico-node', { age: 30, restarts: 4, state: running(1), last: ended(1.1) }),
    ],
    [
      'restarted it five times in its long life',
      [],
      daemon('c', 'calico-node', { restarts: 5, state: running(1), last: ended(1.1) }),
    ],
    [
      'has come to the longest pause',
      LOOP,
      daemon('c', 'cilium', {
        restarts: 90,
        state: waits('CrashLoopBackOff', 'back-off 5m0s restarting failed container=x'),
        last: ended(2),
      }),
    ],
    [
      'has come to the fifth pause',
      LOOP,
      daemon('c', 'cilium', {
        restarts: 90,
        state: waits('CrashLoopBackOff', 'back-off 2m40s restarting failed container=x'),
        last: ended(2),
      }),
    ],
    [
      'has come to the fourth pause',
      [],
      daemon('c', 'cilium', {
        restarts: 90,
        state: waits('CrashLoopBackOff', 'back-off 1m20s restarting failed container=x'),
        last: ended(2),
      }),
    ],
    [
      'restarts its driver for volumes',
      LOOP,
      daemon('c', 'ebs-csi-node', { age: 30, restarts: 9, state: running(1), last: ended(1.1) }),
    ],
    [
      'restarts something that no node needs',
      [],
      daemon('c', 'log-shipper', { age: 30, restarts: 90, state: running(1), last: ended(1.1) }),
    ],
    [
      'has an operator that restarts',
      [],
      buildPod('c', {
        age: 30,
        owner: { kind: 'ReplicaSet', name: 'cilium-operator-5f' },
        restarts: 90,
        state: running(1),
        last: ended(1.1),
      }),
    ],
  ])('is one that %s', (_title, expected, pod) => {
    expect(found({ pods: [pod] })).toEqual(expected)
  })

  it('counts the starts of an old daemon by its events', () => {
    const pods = [daemon('c', 'calico-node', { restarts: 50, state: running(1), last: ended(1.1) })]
    const events = [buildEvent('Started', 1, 'c', { namespace: 'kube-system', count: 5, first: 50 })]
    expect(found({ pods, events })).toEqual(LOOP)
  })
})

const machine = (
  name: string,
  own: {
    readonly labels?: Fields
    readonly status?: Fields
    readonly age?: number
    readonly deleted?: boolean
    readonly spec?: Fields
  } = {},
): Fields => ({
  kind: 'Machine',
  metadata: {
    name,
    namespace: 'capi',
    creationTimestamp: before(own.age ?? 30),
    ...(own.labels === undefined
      ? { ownerReferences: [{ kind: 'MachineSet', name: 'pool-a' }] }
      : { labels: own.labels }),
    ...(own.deleted === true ? { deletionTimestamp: before(1) } : {}),
  },
  spec: own.spec ?? {},
  status: own.status ?? {},
})
const failed = (name: string, count: number): Fields =>
  buildEvent('BootstrapFailed', 1, name, { kind: 'AppleMachine', namespace: 'capi', count, first: 30 })

describe('a machine that does not become a node', () => {
  it.each<readonly [string, readonly string[], Lists]>([
    ['is shown by itself', ['AppleMachine m1'], { events: [failed('m1', 5)] }],
    ['is none below the border', [], { events: [failed('m1', 4)] }],
    [
      'is reported as its node if it has one',
      LOOP,
      { events: [failed('m1', 5)], machines: [machine('m1', { status: { nodeRef: { name: 'sting' } } })] },
    ],
    [
      'is matched by the id of its provider',
      LOOP,
      {
        nodes: [buildNode('sting', { providerID: 'x://7' })],
        events: [failed('m1', 5)],
        machines: [machine('m1', { spec: { providerID: 'x://7' } })],
      },
    ],
    ['is a node of the same name', LOOP, { events: [failed('sting', 5)] }],
    [
      'counts its attempts',
      ['Machine m1'],
      { machines: [machine('m1', { status: { phase: 'Bootstrapping', bootstrapAttempts: 5 } })] },
    ],
    ['has made it in the end', [], { machines: [machine('m1', { status: { phase: 'Ready', bootstrapAttempts: 7 } })] }],
    [
      'is one of five that failed',
      ['MachineSet pool-a'],
      { machines: times(5, (index) => machine(`m${index}`, { status: { phase: 'Failed' } })) },
    ],
    [
      'is one of five that go again',
      ['MachineSet pool-a'],
      { machines: times(5, (index) => machine(`m${index}`, { deleted: true })) },
    ],
    [
      'names its maker by a label only',
      ['MachineDeployment pool-b'],
      {
        machines: times(5, (index) =>
          machine(`m${index}`, {
            labels: { 'cluster.x-k8s.io/deployment-name': 'pool-b' },
            status: { phase: 'Failed' },
          }),
        ),
      },
    ],
    [
      'names no maker',
      [],
      { machines: times(9, (index) => machine(`m${index}`, { labels: {}, status: { phase: 'Failed' } })) },
    ],
    ['is one of four', [], { machines: times(4, (index) => machine(`m${index}`, { deleted: true })) }],
    [
      'is one of many that come up',
      [],
      { machines: times(9, (index) => machine(`m${index}`, { status: { phase: 'Provisioning' } })) },
    ],
    [
      'was a node before it went',
      [],
      {
        machines: times(9, (index) =>
          machine(`m${index}`, { deleted: true, status: { nodeRef: { name: `n${index}` } } }),
        ),
      },
    ],
    ['is older than an hour', [], { machines: times(9, (index) => machine(`m${index}`, { deleted: true, age: 61 })) }],
  ])('%s', (_title, expected, lists) => {
    expect(found(lists)).toEqual(expected)
  })
})
