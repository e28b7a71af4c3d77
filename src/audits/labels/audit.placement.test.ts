import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { buildNode, podOn, buildSet } from '#test/fleets/build-scale-set.ts'
import type { SetChanges } from '#test/fleets/build-scale-set.ts'
import { labels } from './audit.ts'

const FORBIDDEN = blind('forbidden', '403')

function judge(lists: Lists, declared?: FleetFile, question = {}) {
  const fleet = buildFleet(lists, declared === undefined ? {} : { fleetFile: seen(declared) })
  return labels.examine(fleet, { ...WHOLE_FLEET, ...question })
}

const POOLS: FleetFile = {
  nodePools: [
    { name: 'base', selector: { pool: 'base' }, role: 'baseline' },
    { name: 'burst', selector: { pool: 'burst' }, role: 'overflow' },
    { name: 'disks', selector: { pool: 'disks' }, role: 'storage' },
    { name: 'off', selector: { pool: 'off' }, role: 'excluded' },
  ],
}
const TAINT = { key: 'dedicated', value: 'burst', effect: 'NoSchedule' }
const TOLERATION = { key: 'dedicated', operator: 'Equal', value: 'burst', effect: 'NoSchedule' }
const node = (pool: string, taints: readonly Fields[] = []) => buildNode(`${pool}-1`, { labels: { pool }, taints })
const nodes = [node('base'), node('burst', [TAINT]), node('disks'), node('off')]
const onPool = (pool: string, more: Fields = {}): SetChanges => ({ pod: { nodeSelector: { pool }, ...more } })

describe('the pools of a label', () => {
  const pools = (sets: readonly Fields[], lists: Lists = {}, declared: FleetFile | undefined = POOLS) =>
    judge({ autoscalingrunnersets: sets, nodes, ...lists }, declared)
      .filter((one) => one.class === 'label-spans-pools')
      .map(({ fields }) => listAt(fields, 'pools').map((pool) => textAt(pool, 'name')))

  it('are reported if its sets are on several pools', () => {
    const overflow = buildSet('linux', { namespace: 'other', ...onPool('burst', { tolerations: [TOLERATION] }) })
    expect(pools([buildSet('linux', onPool('base')), overflow])).toEqual([['base', 'burst']])
  })

  it.each([
    ['one pool is selected', [buildSet('linux', onPool('base'))]],
    ['the others are tainted, for storage or excluded', [buildSet('linux')]],
    [
      'what selects another pool does not tolerate it',
      [buildSet('linux', onPool('base')), buildSet('linux', { namespace: 'other', ...onPool('burst') })],
    ],
    [
      'an excluded pool is selected beside',
      [buildSet('linux', onPool('base')), buildSet('linux', { namespace: 'other', ...onPool('off') })],
    ],
  ])('are one if %s', (_what, sets) => {
    expect(pools(sets)).toEqual([])
  })

  it('include a storage pool only if it is selected', () => {
    expect(
      pools([buildSet('linux', onPool('base')), buildSet('linux', { namespace: 'other', ...onPool('disks') })]),
    ).toEqual([['base', 'disks']])
  })

  it('include pools with running runners, whatever is declared', () => {
    const runner = {
      metadata: { name: 'r', namespace: 'arc-runners', labels: { 'actions.github.com/scale-set-name': 'linux' } },
    }
    const pod = podOn('off-1', 'r', { owner: 'EphemeralRunner', namespace: 'arc-runners' })
    expect(pools([buildSet('linux', onPool('base'))], { ephemeralrunners: [runner], pods: [pod] })).toEqual([
      ['base', 'off'],
    ])
  })

  it("are guessed by the provider's labels if no pools are declared", () => {
    const marked = ['a', 'b'].map((name) => buildNode(name, { labels: { 'eks.amazonaws.com/nodegroup': name } }))
    expect(pools([buildSet('linux')], { nodes: marked }, {})).toEqual([['a', 'b']])
    expect(pools([buildSet('linux')], { nodes: ['a', 'b'].map((name) => buildNode(name)) }, {})).toEqual([])
  })

  it('are not reported if nodes could not be read', () => {
    expect(pools([buildSet('linux')], { nodes: FORBIDDEN })).toEqual([])
  })
})

describe('overflow', () => {
  const lane = (envelope: Record<string, number> | undefined, scaleSets = ['linux']): FleetFile => ({
    ...POOLS,
    lanes: [{ label: 'linux', scaleSets, envelope }],
  })
  const missing = (sets: readonly Fields[], declared: FleetFile, lists: Lists = {}) =>
    judge({ autoscalingrunnersets: sets, nodes, ...lists }, declared)
      .filter((one) => one.class === 'overflow-unplaceable')
      .map(({ fields }) => fields?.['missing'])
  const WITH = { base: 2, burst: 2 }
  const preferred = {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [] } }],
    },
  }

  it.each([
    ['the toleration, with an envelope', onPool('burst'), WITH, 'toleration'],
    ['the toleration, without one', onPool('burst'), undefined, 'toleration'],
    [
      'the toleration, by affinity',
      {
        pod: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['base', 'burst'] }] }],
              },
            },
          },
        },
      },
      WITH,
      'toleration',
    ],
    ['the selector', { pod: { tolerations: [TOLERATION] } }, WITH, 'selector'],
    ['the selector, which names another pool', onPool('base', { tolerations: [TOLERATION] }), WITH, 'selector'],
    ['both', onPool('base'), WITH, 'both'],
  ])('lacks %s', (_what, changes: SetChanges, envelope, expected) => {
    expect(missing([buildSet('linux', changes)], lane(envelope))).toEqual([expected])
  })

  it.each([
    ['both are there', onPool('burst', { tolerations: [TOLERATION] }), WITH],
    ['a preference may send it there', { pod: { tolerations: [TOLERATION], affinity: preferred } }, WITH],
    ['it is not declared to carry any', { pod: { tolerations: [TOLERATION] } }, { base: 4, burst: 0 }],
    ['nothing is declared and nothing selects it', onPool('base'), undefined],
  ])('lacks nothing if %s', (_what, changes: SetChanges, envelope) => {
    expect(missing([buildSet('linux', changes)], lane(envelope))).toEqual([])
  })

  it('lacks the toleration also if there is no other pool', () => {
    const only = { nodes: [node('burst', [TAINT])] }
    expect(missing([buildSet('linux', onPool('burst'))], lane(undefined), only)).toEqual(['toleration'])
    expect(missing([buildSet('linux')], lane(undefined), only)).toEqual([])
  })

  it('needs no toleration if the pool has no taint', () => {
    expect(missing([buildSet('linux', onPool('burst'))], lane(WITH), { nodes: [node('base'), node('burst')] })).toEqual(
      [],
    )
    expect(missing([buildSet('linux')], lane(WITH), { nodes: [node('base'), node('burst')] })).toEqual([])
  })

  it('needs only one set of the label', () => {
    const overflow = buildSet('second', onPool('burst', { tolerations: [TOLERATION] }))
    expect(missing([buildSet('linux', onPool('base')), overflow], lane(WITH, ['linux', 'second']))).toEqual([])
  })

  it('is unknown if the pool has no nodes or they could not be read', () => {
    expect(missing([buildSet('linux', onPool('burst'))], lane(WITH), { nodes: [node('base')] })).toEqual([])
    expect(missing([buildSet('linux', onPool('burst'))], lane(WITH), { nodes: FORBIDDEN })).toEqual([])
  })

  it('names the set and the label', () => {
    const [finding] = judge({ autoscalingrunnersets: [buildSet('linux', onPool('burst'))], nodes }, lane(WITH))
    expect(finding).toMatchObject({
      severity: 'warning',
      subject: { kind: 'Label', name: 'linux' },
      fields: { scaleSet: 'linux', pool: 'burst' },
    })
  })
})
