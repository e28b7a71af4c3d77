import { describe, expect, it } from 'vitest'
import { nodes } from './audit.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { blind } from '#/core/basics/observed.ts'
import { daemon, ended, buildEvent, buildNode, buildPod, running, stuck, waits } from '#test/fleets/cluster-parts.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'

const found = (lists: Lists): readonly string[] =>
  nodes
    .examine(buildFleet({ nodes: [buildNode('sting')], ...lists }), WHOLE_FLEET)
    .filter((one) => one.class === 'never-starts-pods')
    .map(({ subject }) => subject.name)

const two = [stuck('a', 10), stuck('b', 8)]
const ran = (name: string, age: number, more: Fields = {}): Fields =>
  buildPod(name, { age, state: running(age), ...more })

describe('a node that starts no pods', () => {
  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['has two that are past the start time', ['sting'], two],
    ['has two exactly at it', ['sting'], [stuck('a', 5), stuck('b', 5)]],
    ['has not one alone', [], [stuck('a', 30)]],
    ['has not two of which one is younger', [], [stuck('a', 10), stuck('b', 4.9)]],
    ['differs from a node on which a later pod runs', [], [...two, ran('c', 7)]],
    ['had pods that started before', ['sting'], [...two, ran('c', 11)]],
    [
      'had one that came before and was slow to start',
      ['sting'],
      [...two, buildPod('c', { age: 11, state: running(9.5) })],
    ],
    [
      'is not one where such a pod started after the start time',
      [],
      [...two, buildPod('c', { age: 11, state: running(2.9) })],
    ],
    [
      'started a later pod that has ended by now',
      [],
      [...two, buildPod('c', { age: 7, phase: 'Succeeded', state: ended(2, 0, 4) })],
    ],
    [
      'is not cleared by an old pod whose container came back',
      ['sting'],
      [...two, buildPod('c', { age: 60, restarts: 4, state: running(1), last: ended(2) })],
    ],
    [
      'is not cleared by its own daemons',
      ['sting'],
      [...two, daemon('calico-1', 'calico-node', { age: 3, state: running(3) })],
    ],
    [
      'is cleared by a daemon that needs the network of pods',
      [],
      [...two, daemon('csi-1', 'csi-node', { age: 3, state: running(3), hostNetwork: false })],
    ],
    [
      'is cleared by a runner on the network of the host',
      [],
      [...two, buildPod('c', { age: 7, hostNetwork: true, state: running(7) })],
    ],
    ['is not one if init containers run', [], two.map((_, index) => stuck(`i${index}`, 10, { init: running(9) }))],
    [
      'has pods without any status of a container',
      ['sting'],
      two.map((_, index) => stuck(`i${index}`, 10, { state: {} })),
    ],
    [
      'cannot make containers',
      ['sting'],
      two.map((_, index) =>
        stuck(`i${index}`, 10, { state: waits('CreateContainerError', 'context deadline exceeded') }),
      ),
    ],
  ])('%s', (_title, expected, pods) => {
    expect(found({ pods })).toEqual(expected)
  })

  it.each<readonly [string, Fields]>([
    ['an image that cannot be pulled', waits('ImagePullBackOff')],
    ['an image whose name is wrong', waits('InvalidImageName')],
    ['a Secret that does not exist', waits('CreateContainerConfigError')],
    [
      'a command that nobody gave',
      waits('CreateContainerError', 'failed to generate container "x" spec: no command specified'),
    ],
    ['itself, which crashes', waits('CrashLoopBackOff')],
  ])('is not one if pods wait for %s', (_title, state) => {
    expect(found({ pods: [stuck('a', 10, { state }), stuck('b', 9, { state })] })).toEqual([])
  })

  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['pull a large image', [], [buildEvent('Pulling', 9, 'a'), buildEvent('Pulling', 8, 'b')]],
    [
      'have their image and go no further',
      ['sting'],
      [buildEvent('Pulling', 9, 'a'), buildEvent('Pulled', 8.5, 'a'), buildEvent('Pulled', 8, 'b')],
    ],
    [
      'lack a ConfigMap',
      [],
      ['a', 'b'].map((pod) => buildEvent('FailedMount', 1, pod, { message: 'configmap "ca" not found' })),
    ],
    [
      'wait for a volume that another node holds',
      [],
      ['a', 'b'].map((pod) => buildEvent('FailedAttachVolume', 1, pod, { message: 'Multi-Attach error' })),
    ],
    [
      'wait for a mount of the node',
      ['sting'],
      ['a', 'b'].map((pod) => buildEvent('FailedMount', 1, pod, { message: 'timed out waiting for the condition' })),
    ],
    ['saw another one start that is gone', [], [buildEvent('Started', 6, 'gone', { host: 'sting' })]],
    ['saw a container of an old pod come back', ['sting'], [buildEvent('Started', 1, 'old', { host: 'sting' })]],
    ['saw one start before them', ['sting'], [buildEvent('Started', 12, 'gone', { host: 'sting' })]],
    ['saw one start on another node', ['sting'], [buildEvent('Started', 6, 'gone', { host: 'honey' })]],
  ])('is judged by events if its pods %s', (_title, expected, events) => {
    const old = buildPod('old', { age: 60, restarts: 4, state: running(1), last: ended(2) })
    expect(found({ pods: [...two, old], events })).toEqual(expected)
  })

  it('does not count pods that are gone, or whose deletion was requested early', () => {
    expect(found({ pods: [stuck('a', 10, { lastSeen: 3 }), stuck('b', 10)] })).toEqual([])
    expect(found({ pods: [stuck('a', 10, { deleted: 4, grace: 120 }), stuck('b', 10)] })).toEqual([])
    expect(found({ pods: [stuck('a', 10, { deleted: 2 }), stuck('b', 10)] })).toEqual(['sting'])
  })

  it('is not a removed node, but may be known only by its pods if nodes cannot be read', () => {
    expect(found({ nodes: [buildNode('honey')], pods: two })).toEqual([])
    expect(found({ nodes: blind('forbidden', '403'), pods: two })).toEqual(['sting'])
  })

  it("is critical, with the node's own condition as evidence", () => {
    const [finding] = nodes.examine(buildFleet({ nodes: [buildNode('sting')], pods: two }), WHOLE_FLEET)
    expect(finding).toMatchObject({ class: 'never-starts-pods', severity: 'critical', fields: { stuck: 2 } })
    expect(finding?.evidence).toContain('the node reports Ready')
    expect(finding?.hint).toContain('kubectl cordon sting')
  })

  it('can be selected by name', () => {
    const fleet = buildFleet({ nodes: [buildNode('sting')], pods: two })
    expect(nodes.examine(fleet, { ...WHOLE_FLEET, nodes: ['honey'] })).toEqual([])
    expect(nodes.examine(fleet, { ...WHOLE_FLEET, nodes: ['sting'] })).toHaveLength(1)
  })
})
