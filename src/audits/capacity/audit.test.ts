import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { blind } from '#/core/basics/observed.ts'
import { answer, judge, max } from '#test/fleets/capacity-case.ts'
import { buildNode, podOn, buildSet } from '#test/fleets/build-scale-set.ts'

const NOT_GIVEN = blind('not-asked', 'files')

describe('room for the declared maximum', () => {
  it('is enough up to the last runner', () => {
    expect(answer(max(8))).toEqual([['fits', 8, 'cpu']])
    expect(answer(max(9))).toEqual([['fits-not-simultaneously', 8, 'cpu']])
    expect(answer(max(0))).toEqual([['fits', 8, 'cpu']])
  })

  it('is never enough for a set without a maximum', () => {
    expect(answer(max(undefined))).toEqual([['fits-not-simultaneously', 8, 'cpu']])
  })

  it('uses the maximum of the fleet file if it declares one', () => {
    expect(answer(max(99), {}, { lanes: [{ label: 'linux', declaredMax: 8 }] })).toEqual([['fits', 8, 'cpu']])
    expect(answer(max(4), {}, { lanes: [{ label: 'linux', declaredMax: 9 }] })).toEqual([
      ['fits-not-simultaneously', 8, 'cpu'],
    ])
  })

  it('is used by daemon pods, static pods and others, not by runners or ended pods', () => {
    const cpu = { requests: { cpu: '1' } }
    const pods = [
      podOn('a', 'cni', { owner: 'DaemonSet', ...cpu }),
      podOn('a', 'proxy', { owner: 'Node', ...cpu }),
      podOn('b', 'web', cpu),
      podOn('b', 'done', { ...cpu, phase: 'Succeeded' }),
      podOn('b', 'runner', { owner: 'EphemeralRunner', ...cpu }),
    ]
    expect(answer(max(5), { pods })).toEqual([['fits', 5, 'cpu']])
    expect(answer(max(6), { pods })).toEqual([['fits-not-simultaneously', 5, 'cpu']])
  })

  it('is used by DaemonSets if no pods were read', () => {
    const daemonsets = [
      {
        metadata: { name: 'cni' },
        spec: { template: { spec: { containers: [{ resources: { requests: { cpu: '500m' } } }] } } },
      },
      {
        metadata: { name: 'gpu' },
        spec: {
          template: { spec: { nodeSelector: { gpu: 'yes' }, containers: [{ resources: { requests: { cpu: '4' } } }] } },
        },
      },
    ]
    expect(answer(max(6), { daemonsets, pods: NOT_GIVEN })).toEqual([['fits', 6, 'cpu']])
    expect(answer(max(7), { daemonsets, pods: NOT_GIVEN })).toEqual([['fits-not-simultaneously', 6, 'cpu']])
    expect(answer(max(8), { daemonsets })).toEqual([['fits', 8, 'cpu']])
  })

  it('is used by the overhead of a runtime class', () => {
    const runtimeclasses = [{ metadata: { name: 'kata' }, overhead: { podFixed: { cpu: '1' } } }]
    expect(answer(max(4, { pod: { runtimeClassName: 'kata' } }), { runtimeclasses })).toEqual([['fits', 4, 'cpu']])
    expect(answer(max(5, { pod: { runtimeClassName: 'other' } }), { runtimeclasses })).toEqual([['fits', 8, 'cpu']])
  })

  it('excludes nodes that accept no pods', () => {
    const nodes = [buildNode('a'), buildNode('b', { isCordoned: true }), buildNode('c', { isReady: false })]
    expect(answer(max(5), { nodes })).toEqual([['fits-not-simultaneously', 4, 'cpu']])
    expect(answer(max(5), { nodes: [buildNode('b', { isCordoned: true })] })).toEqual([
      ['fits-not-simultaneously', 0, 'no-node'],
    ])
  })

  it('includes a node without conditions, written by hand', () => {
    const { status } = buildNode('a') as { readonly status: Fields }
    const nodes = [{ ...buildNode('a'), status: { allocatable: status['allocatable'] } }]
    expect(answer(max(4), { nodes })).toEqual([['fits', 4, 'cpu']])
  })

  it('is bound by pod slots if they are few', () => {
    const nodes = [buildNode('a', { allocatable: { pods: '3' } })]
    expect(answer(max(3), { nodes })).toEqual([['fits', 3, 'pods']])
    expect(answer(max(4), { nodes })).toEqual([['slots-bound', 3, 'pods']])
  })
})

describe('only one runner per node', () => {
  it('with a host port', () => {
    const ports = [{ containerPort: 80, hostPort: 80 }]
    expect(answer(max(3, { runner: { ports } }))).toEqual([['fits-not-simultaneously', 2, 'one-per-node']])
    expect(answer(max(3, { runner: { ports: [{ containerPort: 80 }] } }))).toEqual([['fits', 8, 'cpu']])
    const onHost = { hostNetwork: true, containers: [{ name: 'runner', ports: [{ containerPort: 80 }] }] }
    expect(answer(max(3, { pod: onHost }))).toEqual([['fits-not-simultaneously', 2, 'one-per-node']])
  })

  it('with an anti-affinity against the same set', () => {
    const apart = (matchLabels: Fields, topologyKey = 'kubernetes.io/hostname') => ({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels } }],
        },
      },
    })
    const own = { 'app.kubernetes.io/component': 'runner' }
    expect(answer(max(3, { pod: apart(own) }))).toEqual([['fits-not-simultaneously', 2, 'one-per-node']])
    expect(answer(max(3, { pod: apart({ app: 'web' }) }))).toEqual([['fits', 8, 'cpu']])
    expect(answer(max(3, { pod: apart(own, 'zone') }))).toEqual([['fits', 8, 'cpu']])
    expect(answer(max(3, { pod: apart({}) }))).toEqual([['fits-not-simultaneously', 2, 'one-per-node']])
    const nobody = [{ topologyKey: 'kubernetes.io/hostname' }]
    const without = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nobody } }
    expect(answer(max(3, { pod: { affinity: without } }))).toEqual([['fits', 8, 'cpu']])
  })

  it('counts a second slot per runner with container hooks', () => {
    const env = [
      { name: 'ACTIONS_RUNNER_CONTAINER_HOOKS', value: '/k8s/index.js' },
      { name: 'ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER', value: 'true' },
    ]
    const nodes = [buildNode('a', { allocatable: { pods: '5' } })]
    expect(answer(max(3, { runner: { env } }), { nodes })).toEqual([['slots-bound', 2, 'pods']])
    expect(answer(max(3, { runner: { env: env.slice(0, 1) } }), { nodes })).toEqual([['fits', 4, 'cpu']])
    const resourcequotas = [{ metadata: { name: 'q', namespace: 'arc-runners' }, spec: { hard: { pods: '5' } } }]
    expect(answer(max(3, { runner: { env } }), { resourcequotas })).toEqual([['fits-not-simultaneously', 2, 'quota']])
  })
})

describe('a single runner', () => {
  const asks = (requests: Fields) => max(1, { runner: { resources: { requests } } })

  it.each([
    ['is as large as a node', asks({ cpu: '4' }), 'fits'],
    ['is larger than any node', asks({ cpu: '4001m' }), 'impossible-single-pod'],
    ['requests what no node has', asks({ 'nvidia.com/gpu': '1' }), 'impossible-single-pod'],
    ['selects no node', max(1, { pod: { nodeSelector: { pool: 'none' } } }), 'impossible-single-pod'],
  ])('that %s: %s', (_what, changes, expected) => {
    expect(answer(changes).map(([name]) => name)).toEqual([expected])
  })

  it('is judged with only daemon pods on the node', () => {
    const daemon = [
      podOn('a', 'd', { owner: 'DaemonSet', requests: { cpu: '100m' } }),
      podOn('b', 'e', { owner: 'DaemonSet', requests: { cpu: '100m' } }),
    ]
    expect(answer(asks({ cpu: '4' }), { pods: daemon }).map(([name]) => name)).toEqual(['impossible-single-pod'])
    const others = [podOn('a', 'w', { requests: { cpu: '1' } }), podOn('b', 'v', { requests: { cpu: '1' } })]
    expect(answer(asks({ cpu: '4' }), { pods: others })).toEqual([['fits-not-simultaneously', 0, 'cpu']])
  })

  it('may wait for a cordoned node', () => {
    expect(answer(max(1), { nodes: [buildNode('a', { isCordoned: true })] })).toEqual([
      ['fits-not-simultaneously', 0, 'no-node'],
    ])
  })

  it('that a LimitRange refuses is impossible', () => {
    const limitranges = [
      {
        metadata: { name: 'small', namespace: 'arc-runners' },
        spec: { limits: [{ type: 'Container', max: { memory: '512Mi' } }] },
      },
    ]
    expect(answer(max(1), { limitranges }).map(([name]) => name)).toEqual(['impossible-single-pod'])
    expect(answer(max(1, { namespace: 'other' }), { limitranges }).map(([name]) => name)).toEqual(['fits'])
  })

  it('requests the defaults of a LimitRange', () => {
    const limitranges = [
      {
        metadata: { name: 'd', namespace: 'arc-runners' },
        spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '2' } }] },
      },
    ]
    expect(answer(max(5, { runner: { resources: {} } }), { limitranges })).toEqual([
      ['fits-not-simultaneously', 4, 'cpu'],
    ])
  })

  it('is reported with its set, its lane and its size', () => {
    const [finding] = judge({ autoscalingrunnersets: [buildSet('linux', asks({ cpu: '5' }))], nodes: [buildNode('a')] })
    expect(finding).toMatchObject({
      severity: 'critical',
      subject: { kind: 'Lane', name: 'linux' },
      fields: { scaleSet: 'linux', fits: 0, request: { cpu: 5, pods: 1 } },
    })
    expect(finding?.evidence.join()).toContain(
      'it requests 5 cpu; the nearest node, a, has 4 left after its daemon pods',
    )
  })
})

describe('pools', () => {
  const nodePools: FleetFile['nodePools'] = [
    { name: 'base', selector: { pool: 'base' }, role: 'baseline' },
    { name: 'disks', selector: { pool: 'disks' }, role: 'storage' },
    { name: 'off', selector: { pool: 'off' }, role: 'excluded' },
    { name: 'later', selector: { pool: 'later' }, role: 'overflow' },
  ]
  const nodes = ['base', 'disks', 'off'].map((pool) => buildNode(`${pool}-1`, { labels: { pool } }))
  const on = (pool: string) => max(4, { pod: { nodeSelector: { pool } } })

  it('for storage take only sets that select them, excluded ones none', () => {
    expect(answer(max(4), { nodes }, { nodePools })).toEqual([['fits', 4, 'cpu']])
    expect(answer(max(5), { nodes }, { nodePools })).toEqual([['fits-not-simultaneously', 4, 'cpu']])
    expect(answer(on('disks'), { nodes }, { nodePools })).toEqual([['fits', 4, 'cpu']])
    expect(answer(on('off'), { nodes }, { nodePools }).map(([name]) => name)).toEqual(['impossible-single-pod'])
  })

  it('without nodes make nothing impossible', () => {
    expect(answer(on('later'), { nodes }, { nodePools })).toEqual([['fits-not-simultaneously', 0, 'no-node']])
  })

  it('are listed with what each holds', () => {
    const both = [
      buildNode('b', { labels: { pool: 'base' } }),
      buildNode('l', { labels: { pool: 'later' }, allocatable: { cpu: '2' } }),
    ]
    const [finding] = judge({ autoscalingrunnersets: [buildSet('linux', max(6))], nodes: both }, { nodePools })
    expect(finding?.fields?.['pools']).toEqual([
      { pool: 'base', nodes: 1, fits: 4 },
      { pool: 'later', nodes: 1, fits: 2 },
    ])
  })
})
