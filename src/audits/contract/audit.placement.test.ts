import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { buildNode, buildSet } from '#test/fleets/build-scale-set.ts'
import type { SetChanges } from '#test/fleets/build-scale-set.ts'
import { contract } from './audit.ts'

const FORBIDDEN = blind('forbidden', '403')

function judge(lists: Lists, declared?: FleetFile, question = {}) {
  const fleet = buildFleet(lists, declared === undefined ? {} : { fleetFile: seen(declared) })
  return contract.examine(fleet, { ...WHOLE_FLEET, ...question })
}

/** The finding classes of one set with these changes. */
function listClasses(changes: SetChanges, lists: Lists = {}, declared?: FleetFile): readonly string[] {
  return judge({ autoscalingrunnersets: [buildSet('linux', changes)], ...lists }, declared).map((one) => one.class)
}

describe('a required volume', () => {
  const lanes = [{ label: 'linux', requiredVolumes: [{ name: 'work', storageClass: 'fast' }] }]
  const volume = (rest: Fields): SetChanges => ({ pod: { volumes: [{ name: 'work', ...rest }] } })
  const claim = (spec: Fields) => volume({ ephemeral: { volumeClaimTemplate: { spec } } })
  const standard = { 'storageclass.kubernetes.io/is-default-class': 'true' }
  const storageclasses = [{ metadata: { name: 'fast', annotations: standard } }, { metadata: { name: 'slow' } }]
  const pvc = (storageClassName: string) => ({
    persistentvolumeclaims: [{ metadata: { name: 'shared', namespace: 'arc-runners' }, spec: { storageClassName } }],
  })

  it.each([
    ['is missing', {}, {}],
    ['is an emptyDir', volume({ emptyDir: {} }), {}],
    ['is of another class', claim({ storageClassName: 'slow' }), {}],
    ['is a claim of another class', volume({ persistentVolumeClaim: { claimName: 'shared' } }), pvc('slow')],
    [
      'is of a class that does not exist',
      claim({ storageClassName: 'fast' }),
      { storageclasses: [{ metadata: { name: 'slow' } }] },
    ],
    [
      'is of the default class, which is another',
      claim({}),
      { storageclasses: [{ metadata: { name: 'fast' } }, { metadata: { name: 'slow', annotations: standard } }] },
    ],
  ])('is reported missing if it %s', (_what, changes: SetChanges, lists: Lists) => {
    expect(listClasses(changes, { storageclasses, ...lists }, { lanes })).toEqual(['required-volume-missing'])
  })

  it.each([
    ['is of the class', claim({ storageClassName: 'fast' }), {}],
    ['is of the default class', claim({}), {}],
    ['is a claim of the class', volume({ persistentVolumeClaim: { claimName: 'shared' } }), pvc('fast')],
    [
      'is a claim that nobody could look at',
      volume({ persistentVolumeClaim: { claimName: 'shared' } }),
      { persistentvolumeclaims: FORBIDDEN },
    ],
    ['is of a class that could not be checked', claim({ storageClassName: 'fast' }), { storageclasses: FORBIDDEN }],
    ['is of an unknown default class', claim({}), { storageclasses: FORBIDDEN }],
  ])('is not reported missing if it %s', (_what, changes: SetChanges, lists: Lists) => {
    expect(listClasses(changes, { storageclasses, ...lists }, { lanes })).toEqual([])
  })

  it('without a class may be of any kind', () => {
    const lanes = [{ label: 'linux', requiredVolumes: [{ name: 'work' }] }]
    expect(listClasses(volume({ emptyDir: {} }), {}, { lanes })).toEqual([])
  })
})

describe('a toleration', () => {
  const taint = { key: 'dedicated', value: 'ci', effect: 'NoSchedule' }
  const ci = (name: string, taints: readonly Fields[] = [taint]) => buildNode(name, { labels: { pool: 'ci' }, taints })
  const other = buildNode('other', { labels: { pool: 'web' } })
  const picks = { nodeSelector: { pool: 'ci' } }

  it.each([
    ['every node that it selects is tainted', picks, [ci('a'), ci('b'), other]],
    ['every node is tainted', {}, [ci('a'), ci('b')]],
    [
      'the value differs',
      { ...picks, tolerations: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] },
      [ci('a'), other],
    ],
    [
      'it takes NoExecute too',
      { ...picks, tolerations: [{ ...taint, operator: 'Equal' }] },
      [ci('a', [taint, { key: 'x', effect: 'NoExecute' }]), other],
    ],
  ])('is reported missing if %s', (_what, pod, nodes) => {
    expect(listClasses({ pod }, { nodes })).toEqual(['toleration-missing'])
  })

  it.each([
    ['it is there', { ...picks, tolerations: [{ key: 'dedicated', operator: 'Exists' }] }, [ci('a'), other]],
    ['one node that it selects has no taint', picks, [ci('a'), ci('b', []), other]],
    ['it does not select those nodes', { nodeSelector: { pool: 'web' } }, [ci('a'), other]],
    ['the taint is only a preference', picks, [ci('a', [{ ...taint, effect: 'PreferNoSchedule' }]), other]],
    [
      'the taint is of a node that goes',
      picks,
      [ci('a', [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }]), other],
    ],
    [
      'the taint is of a node that is not well',
      picks,
      [ci('a', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }]), other],
    ],
    [
      'only the control plane is tainted',
      {},
      [buildNode('cp', { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] }), other],
    ],
    [
      'nothing else than the control plane is there',
      {},
      [buildNode('cp', { taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] })],
    ],
    ['nothing is selected at all', { nodeSelector: { pool: 'none' } }, [ci('a'), other]],
  ])('is not reported missing if %s', (_what, pod, nodes) => {
    expect(listClasses({ pod }, { nodes })).toEqual([])
  })

  it('may come from the runtime class', () => {
    const runtimeclasses = [
      {
        metadata: { name: 'kata' },
        scheduling: { nodeSelector: { pool: 'ci' }, tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
      },
    ]
    const without = [{ metadata: { name: 'kata' }, scheduling: { nodeSelector: { pool: 'ci' } } }]
    const changes = { pod: { runtimeClassName: 'kata' } }
    expect(listClasses(changes, { nodes: [ci('a'), other], runtimeclasses })).toEqual([])
    expect(listClasses(changes, { nodes: [ci('a'), other], runtimeclasses: without })).toEqual(['toleration-missing'])
  })

  it('is not reported missing on a storage pool', () => {
    const nodePools = [
      { name: 'ci', selector: { pool: 'ci' }, role: 'baseline' as const },
      { name: 'disks', selector: { pool: 'disks' }, role: 'storage' as const },
    ]
    const disks = buildNode('d', { labels: { pool: 'disks' }, taints: [{ key: 'disks', effect: 'NoSchedule' }] })
    const autoscalingrunnersets = [buildSet('linux')]
    expect(judge({ autoscalingrunnersets, nodes: [disks] }, { nodePools })).toEqual([])
    expect(judge({ autoscalingrunnersets, nodes: [disks, ci('a')] }, { nodePools })).toMatchObject([
      { class: 'toleration-missing', fields: { pools: ['ci'], taints: ['dedicated=ci:NoSchedule'] } },
    ])
  })

  it('is not reported missing if nodes could not be read', () => {
    expect(listClasses({ pod: picks }, { nodes: FORBIDDEN })).toEqual([])
  })

  it("is reported missing for a pool of the lane's envelope, unless another of its sets fits there", () => {
    const nodePools = [
      { name: 'ci', selector: { pool: 'ci' }, role: 'baseline' as const },
      { name: 'web', selector: { pool: 'web' }, role: 'baseline' as const },
    ]
    const lanes = [{ label: 'linux', scaleSets: ['linux', 'second'], envelope: { ci: 4, web: 4 } }]
    const second = buildSet('second', { pod: { ...picks, tolerations: [{ operator: 'Exists' }] } })
    const nodes = [ci('a'), other]
    expect(
      judge({ nodes, autoscalingrunnersets: [buildSet('linux')] }, { nodePools, lanes }).map((one) => one.class),
    ).toContain('toleration-missing')
    expect(judge({ nodes, autoscalingrunnersets: [buildSet('linux'), second] }, { nodePools, lanes })).toEqual([])
  })
})

describe('an envelope', () => {
  const nodePools = [
    { name: 'base', selector: { pool: 'base' }, role: 'baseline' as const },
    { name: 'burst', selector: { pool: 'burst' }, role: 'overflow' as const },
    { name: 'disks', selector: { pool: 'disks' }, role: 'storage' as const },
  ]
  const nodes = ['base', 'burst', 'disks'].map((pool) => buildNode(`${pool}-1`, { labels: { pool } }))
  const on = (pool: string | null, maxRunners?: number): SetChanges => ({
    spec: { maxRunners, githubConfigUrl: 'https://github.com/example-org', template: setTemplate(pool) },
  })
  const setTemplate = (pool: string | null) => {
    const { spec } = buildSet('x', pool === null ? {} : { pod: { nodeSelector: { pool } } }) as { spec: Fields }
    return spec['template']
  }
  const lane = (rest: object) => ({ label: 'linux', scaleSets: ['linux', 'second'], ...rest })
  const judged = (declared: object, first: SetChanges, second?: SetChanges, lists: Lists = { nodes }) =>
    judge(
      {
        autoscalingrunnersets: [
          buildSet('linux', first),
          ...(second === undefined ? [] : [buildSet('second', second)]),
        ],
        ...lists,
      },
      { nodePools, lanes: [lane(declared)] },
    )
      .filter((one) => one.class === 'envelope-mismatch')
      .flatMap(({ evidence }) => evidence)

  it.each([
    ['the sum is as declared', { declaredMax: 6 }, on('base', 4), on('burst', 2)],
    ['each pool is as declared', { envelope: { base: 4, burst: 2 } }, on('base', 4), on('burst', 2)],
    ['a set without a selector fits both', { envelope: { base: 4, burst: 2 } }, on(null, 6), undefined],
    ['nothing is declared', {}, on('base', 99), undefined],
  ])('fits if %s', (_what, declared, first, second) => {
    expect(judged(declared, first, second)).toEqual([])
  })

  it.each<readonly [string, object, readonly [SetChanges, SetChanges?], RegExp]>([
    ['the sum is above', { declaredMax: 5 }, [on('base', 4), on('burst', 2)], /5 runners are declared.*adds up to 6/],
    ['the sum is below', { declaredMax: 7 }, [on('base', 4), on('burst', 2)], /adds up to 6/],
    ['a set has no bound', { declaredMax: 6 }, [on('base', 4), on('burst')], /second has no maxRunners/],
    [
      'they stand on the wrong pools',
      { envelope: { base: 4, burst: 2 } },
      [on('base', 2), on('burst', 4)],
      /4 runners are declared on pool base, the sets can place 2 there/,
    ],
    [
      'the pool is not in the envelope',
      { envelope: { base: 6 } },
      [on('base', 4), on('burst', 2)],
      /0 runners are declared on pool burst, the sets can place 2/,
    ],
    [
      'nothing bears the name of a pool',
      { envelope: { base: 4, bursts: 2 } },
      [on('base', 4), on('burst', 2)],
      /2 runners are declared on pool bursts/,
    ],
    [
      'the file contradicts itself',
      { declaredMax: 8, envelope: { base: 4, burst: 2 } },
      [on('base', 4), on('burst', 4)],
      /the envelope adds up to 6/,
    ],
    [
      'the storage pool would have to carry them',
      { envelope: { base: 4, disks: 2 } },
      [on(null, 6)],
      /declared on pool disks/,
    ],
  ])('does not if %s', (_what, declared, [first, second], printed) => {
    expect(judged(declared, first, second).join('\n')).toMatch(printed)
  })

  it('is judged by the labels of its pools if no nodes were read', () => {
    const none = { nodes: blind('not-asked', 'files') }
    expect(judged({ envelope: { base: 4, burst: 2 } }, on('base', 4), on('burst', 2), none)).toEqual([])
    expect(judged({ envelope: { base: 4, burst: 2 } }, on('base', 2), on('burst', 4), none)).toHaveLength(2)
  })

  it('counts a set for the pool that it selects, even if it is tainted', () => {
    const taints = [{ key: 'x', effect: 'NoSchedule' }]
    const tainted = { nodes: [nodes[0] ?? {}, buildNode('burst-1', { labels: { pool: 'burst' }, taints })] }
    expect(judged({ envelope: { base: 4, burst: 2 } }, on('base', 4), on('burst', 2), tainted)).toEqual([])
    expect(judged({ envelope: { base: 6 } }, on('base', 4), on('burst', 2), tainted).join()).toMatch(/on pool burst/)
  })

  it('does not count a set that fits no pool', () => {
    expect(judged({ envelope: { base: 4, burst: 2 } }, on('base', 4), on('nowhere', 2))).toEqual([])
  })
})
