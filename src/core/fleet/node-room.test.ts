import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { ago, buildFleet } from '#test/fleets/build-fleet.ts'
import { closedBy, isRunnerPod, countRooms } from './node-room.ts'
import { readNodeRecord } from '#/core/kubernetes/node-record.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'

const node = {
  metadata: { name: 'n' },
  status: { allocatable: { cpu: '8', pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] },
}
const pod = (
  name: string,
  cpu: string,
  rest: { readonly phase?: string; readonly metadata?: Fields; readonly spec?: Fields } = {},
): Fields => ({
  metadata: { namespace: 'a', name, ...rest.metadata },
  spec: { nodeName: 'n', containers: [{ resources: { requests: { cpu } } }], ...rest.spec },
  status: { phase: rest.phase ?? 'Running' },
})

describe('the room of a node', () => {
  it('is allocatable minus the requests of its pods, with daemons separate', () => {
    const pods = [
      pod('daemon', '1', { metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'd' }] } }),
      pod('static', '1', { metadata: { ownerReferences: [{ kind: 'Node', name: 'n' }] } }),
      pod('plain', '2'),
      pod('pending', '1', { phase: 'Pending' }),
      pod('going', '1', { metadata: { deletionTimestamp: ago(1) } }),
      pod('done', '4', { phase: 'Succeeded' }),
      pod('failed', '4', { phase: 'Failed' }),
      pod('remembered', '4', { metadata: { annotations: { 'signalbox.dev/last-seen': ago(1) } } }),
      pod('elsewhere', '4', { spec: { nodeName: 'other' } }),
    ]
    const [room] = countRooms(buildFleet({ nodes: [node], pods }))
    expect(Object.fromEntries(room?.daemons ?? [])).toEqual({ cpu: 2, pods: 2 })
    expect(Object.fromEntries(room?.others ?? [])).toEqual({ cpu: 4, pods: 3 })
    expect(Object.fromEntries(room?.free ?? [])).toEqual({ cpu: 2, pods: 5 })
  })

  it('counts what a RuntimeClass adds to a pod', () => {
    const runtimeclasses = [{ metadata: { name: 'kata' }, overhead: { podFixed: { cpu: '250m' } } }]
    const pods = [
      pod('vm', '1', {
        spec: { nodeName: 'n', runtimeClassName: 'kata', containers: [{ resources: { requests: { cpu: '1' } } }] },
      }),
    ]
    expect(countRooms(buildFleet({ nodes: [node], pods, runtimeclasses }))[0]?.free.get('cpu')).toBe(6.75)
  })

  it('may be counted without some of the pods', () => {
    const runner = pod('r', '3', { metadata: { ownerReferences: [{ kind: 'EphemeralRunner', name: 'r' }] } })
    const fleet = buildFleet({ nodes: [node], pods: [runner, pod('plain', '1')] })
    expect(countRooms(fleet, (one) => !isRunnerPod(one))[0]?.free.get('cpu')).toBe(7)
  })
})

describe('a pod of a runner', () => {
  it.each([
    [{ ownerReferences: [{ kind: 'EphemeralRunner', name: 'r' }] }, true],
    [{ labels: { 'runner-pod': 'r' } }, true],
    [{ labels: { 'actions-ephemeral-runner': 'True' } }, true],
    [{ labels: { 'actions.github.com/scale-set-name': 'linux' } }, false],
  ])('is known by %j: %s', (metadata, is) => {
    expect(isRunnerPod(readPodRecord({ metadata }))).toBe(is)
  })
})

describe('a node that accepts no pods now', () => {
  const closed = (
    rest: { readonly conditions?: readonly Fields[]; readonly taints?: readonly Fields[] },
    spec: Fields = {},
  ) =>
    closedBy(
      readNodeRecord({
        spec: { taints: rest.taints ?? [] },
        status: { conditions: rest.conditions ?? [{ type: 'Ready', status: 'True' }] },
      }),
      spec,
    )
  const taint = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }

  it.each([
    ['is ready', {}, null],
    ['is not ready', { conditions: [{ type: 'Ready', status: 'False' }] }, 'not ready'],
    ['says nothing', { conditions: [] }, 'not ready'],
    [
      'has pressure',
      {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'PIDPressure', status: 'True' },
        ],
      },
      'PIDPressure',
    ],
    ['has a taint of its controller', { taints: [taint] }, 'node.kubernetes.io/out-of-service:NoExecute'],
    ['has only a preference', { taints: [{ ...taint, effect: 'PreferNoSchedule' }] }, null],
    ['has a taint of its pool, which placement judges', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }, null],
  ])('%s: %s', (_, rest, why) => {
    expect(closed(rest)).toBe(why)
  })

  it('accepts pods that tolerate its taint', () => {
    expect(closed({ taints: [taint] }, { tolerations: [{ key: taint.key, operator: 'Exists' }] })).toBeNull()
  })
})
