import { describe, expect, it } from 'vitest'
import { nodes } from './audit.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { before, dead, buildEvent, buildNode, runnerPod, running } from '#test/fleets/cluster-parts.ts'
import type { PodCase } from '#test/fleets/cluster-parts.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { lowerMedian } from './repeated-deaths.ts'

const NODES = ['sting', 'honey', 'bumble'].map((name) => buildNode(name))
const findings = (lists: Lists): readonly Finding[] =>
  nodes.examine(buildFleet({ nodes: NODES, ...lists }), WHOLE_FLEET).filter((one) => one.class === 'repeated-deaths')
const found = (pods: readonly Fields[], more: Lists = {}): readonly string[] =>
  findings({ pods, ...more }).map(({ subject }) => subject.name)

const many = (
  count: number,
  own: PodCase & { readonly code?: number; readonly lived?: number; readonly set?: string } = {},
  from = 5,
): readonly Fields[] =>
  Array.from({ length: count }, (_, index) =>
    dead(`${own.node ?? 'sting'}-${own.set ?? ''}${from}-${index}`, from + index, own),
  )

describe('a node on which runners die', () => {
  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['has three deaths if the others have none', ['sting'], many(3)],
    ['has not two', [], many(2)],
    ['has not three of which one is over an hour old', [], [...many(2), ...many(1, {}, 61)]],
    ['has the third just within the hour', ['sting'], [...many(2), ...many(1, {}, 60)]],
    [
      'has three times the median',
      ['sting'],
      [...many(6), ...many(2, { node: 'honey' }), ...many(2, { node: 'bumble' })],
    ],
    ['has not less than that', [], [...many(5), ...many(2, { node: 'honey' }), ...many(2, { node: 'bumble' })]],
    ['does not count runners that ended well', [], many(5, { code: 0 })],
    ['does not count runners with a refused version', [], many(5, { code: 7 })],
    ['does not count what the kubelet refused', [], many(5, { reason: 'OutOfcpu' })],
    ['does not count pods of others', [], many(5, { owner: { kind: 'Job', name: 'x' } })],
    ['does not count deleted runners', [], many(5, { deleted: 4, grace: 600 })],
    ['counts evicted ones', ['sting'], many(3, { reason: 'Evicted', deleted: 4, grace: 600 })],
    [
      'does not count a drain',
      [],
      many(5, { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] }),
    ],
    [
      'counts a taint that the control plane set',
      ['sting'],
      many(3, { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }] }),
    ],
    ['does not count crashes at the start, which an image may have', [], many(5, { lived: 0.5 })],
    [
      'counts them where the set lives elsewhere',
      ['sting'],
      [...many(5, { lived: 0.5 }), runnerPod('well', { node: 'honey', age: 9, state: running(9) })],
    ],
    [
      'does not where the set lives only here',
      [],
      [...many(5, { lived: 0.5 }), runnerPod('well', { node: 'sting', age: 9, state: running(9) })],
    ],
    [
      'does not where only another set lives elsewhere',
      [],
      [...many(5, { lived: 0.5 }), runnerPod('well', { node: 'honey', age: 9, state: running(9), set: 'other' })],
    ],
  ])('%s', (_title, expected, pods) => {
    expect(found(pods)).toEqual(expected)
  })

  it('is compared with nodes that fit runners', () => {
    const taints = [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }]
    const planes = ['cp-1', 'cp-2', 'cp-3', 'cp-4'].map((name) => buildNode(name, { taints }))
    const set = { metadata: { name: 'lane', namespace: 'arc' }, spec: { template: { spec: { containers: [] } } } }
    const pods = [...many(3), ...many(3, { node: 'honey' }), ...many(3, { node: 'bumble' })]
    expect(found(pods, { nodes: [...NODES, ...planes], autoscalingrunnersets: [set] })).toEqual([])
    expect(findings({ pods: many(3), autoscalingrunnersets: [set] })[0]?.fields).toEqual({
      deaths: 3,
      median: 0,
      nodes: 3,
    })
  })

  it('stands out in a fleet of two nodes, and never in a fleet of one', () => {
    expect(found(many(4), { nodes: NODES.slice(0, 2) })).toEqual(['sting'])
    expect(found(many(9), { nodes: NODES.slice(0, 1) })).toEqual([])
    expect(lowerMedian([4, 0])).toBe(0)
    expect(lowerMedian([5, 1, 3])).toBe(3)
    expect(lowerMedian([])).toBe(0)
  })

  it("is known from ARC's records and events of pods that are gone", () => {
    const uids = ['u1', 'u2', 'u3']
    const runner = {
      metadata: {
        name: 'lane-x-runner-aaaaa',
        namespace: 'arc',
        labels: { 'actions.github.com/scale-set-name': 'lane' },
      },
      status: { failures: Object.fromEntries(uids.map((uid) => [uid, before(5)])) },
    }
    const traces = uids.flatMap((uid) => [
      buildEvent('Scheduled', 20, 'lane-x-runner-aaaaa', {
        uid,
        reporter: 'default-scheduler',
        message: 'Successfully assigned arc/lane-x-runner-aaaaa to sting',
      }),
      buildEvent('Started', 15, 'lane-x-runner-aaaaa', { uid, host: 'sting' }),
    ])
    expect(found([], { ephemeralrunners: [runner], events: traces })).toEqual(['sting'])
    expect(found([], { ephemeralrunners: [runner], events: traces.filter((_, index) => index % 2 === 0) })).toEqual([])
    const evicted = uids.map((uid) => buildEvent('Evicted', 5, 'lane-x-runner-aaaaa', { uid, host: 'sting' }))
    expect(found([], { events: evicted })).toEqual(['sting'])
    expect(
      found([], { events: uids.map((uid) => buildEvent('Evicted', 5, 'database-0', { uid, host: 'sting' })) }),
    ).toEqual([])
  })
})
