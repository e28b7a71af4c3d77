import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { buildSet } from '#test/fleets/build-scale-set.ts'
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

describe('the contract of a fleet', () => {
  it('has no findings for a healthy set', () => {
    expect(listClasses({})).toEqual([])
  })

  it('has no findings for what could not be read', () => {
    const fleet = buildFleet(
      { autoscalingrunnersets: FORBIDDEN },
      { fleetFile: seen({ lanes: [{ label: 'a', declaredMax: 1 }] }) },
    )
    expect(contract.examine(fleet, WHOLE_FLEET)).toEqual([])
    expect(contract.applies(fleet, WHOLE_FLEET)).toBe(true)
  })

  it('ignores a terminating set', () => {
    const metadata = { deletionTimestamp: '2026-06-01T11:59:00Z', name: 'linux', namespace: 'arc-runners' }
    expect(listClasses({ metadata, spec: { minRunners: 5 } })).toEqual([])
  })

  it('covers only the requested sets', () => {
    const autoscalingrunnersets = ['a', 'b'].map((name) => buildSet(name, { spec: { minRunners: 9 } }))
    const names = (question: object) =>
      judge({ autoscalingrunnersets }, undefined, question).map(({ subject }) => subject.name)
    expect(names({})).toEqual(['a', 'b'])
    expect(names({ scaleSets: ['arc-runners/b'] })).toEqual(['b'])
    expect(names({ labels: ['A'] })).toEqual(['a'])
  })

  it.each([
    [5, 4, ['min-above-max']],
    [4, 4, []],
    [5, undefined, []],
    [0, 0, []],
  ])('min %s under max %s: %j', (minRunners, maxRunners, expected) => {
    expect(listClasses({ spec: { minRunners, maxRunners } })).toEqual(expected)
  })
})

describe('a memory limit', () => {
  const bare = { runner: { resources: { requests: { memory: '1Gi' }, limits: { cpu: '1' } } } }
  const range = (limits: Fields, namespace = 'arc-runners') => [
    { metadata: { name: 'defaults', namespace }, spec: { limits: [{ type: 'Container', ...limits }] } },
  ]

  it('is reported missing if neither template nor namespace sets one', () => {
    expect(listClasses(bare)).toEqual(['limits-missing'])
    expect(listClasses(bare, { limitranges: range({ default: { cpu: '1' } }) })).toEqual(['limits-missing'])
    expect(listClasses(bare, { limitranges: range({ default: { memory: '1Gi' } }, 'other') })).toEqual([
      'limits-missing',
    ])
  })

  it.each([
    ['a LimitRange sets one', bare, { limitranges: range({ default: { memory: '1Gi' } }) }],
    ['the pod as a whole has one', { ...bare, pod: { resources: { limits: { memory: '2Gi' } } } }, {}],
    [
      'only a sidecar has none',
      { pod: { initContainers: [{ name: 'dind', restartPolicy: 'Always', image: 'docker:dind' }] } },
      {},
    ],
    ['LimitRanges could not be read', bare, { limitranges: FORBIDDEN }],
  ])('is not reported missing if %s', (_what, changes: SetChanges, lists: Lists) => {
    expect(listClasses(changes, lists)).toEqual([])
  })

  it('is reported missing for files, if LimitRanges were not requested', () => {
    expect(listClasses(bare, { limitranges: blind('not-asked', 'files') })).toEqual(['limits-missing'])
  })
})

describe('an image', () => {
  it.each([
    ['ghcr.io/acme/runner', false],
    ['ghcr.io/acme/runner:latest', false],
    ['registry.example.com:5000/runner', false],
    ['ghcr.io/acme/runner:2.336.0', true],
    ['docker:dind', true],
    [`ghcr.io/acme/runner@sha256:${'a'.repeat(64)}`, true],
    [`ghcr.io/acme/runner:latest@sha256:${'a'.repeat(64)}`, true],
  ])('%s is pinned: %s', (image, isPinned) => {
    expect(listClasses({ runner: { image } })).toEqual(isPinned ? [] : ['image-unpinned'])
  })

  it('of an init container counts too', () => {
    expect(listClasses({ pod: { initContainers: [{ name: 'init', image: 'busybox' }] } })).toEqual(['image-unpinned'])
  })
})

describe('two sets', () => {
  const pair = (first: SetChanges, second: SetChanges, name = 'linux') =>
    judge({ autoscalingrunnersets: [buildSet('linux', first), buildSet(name, { namespace: 'other', ...second })] })
      .filter((one) => one.class === 'duplicate-scale-set')
      .map(({ subject }) => `${subject.namespace}/${subject.name}`)
  const url = (githubConfigUrl: string) => ({ spec: { githubConfigUrl } })

  it.each([
    ['the same URL', {}, {}],
    ['a URL in other letters and with a slash', {}, url('https://github.com/Example-Org/')],
    [
      'the default group, named and not',
      {},
      { spec: { runnerGroup: 'Default', githubConfigUrl: 'https://github.com/example-org' } },
    ],
  ])('are one at GitHub under %s', (_what, first: SetChanges, second: SetChanges) => {
    expect(pair(first, second)).toEqual(['arc-runners/linux', 'other/linux'])
  })

  it.each([
    ['another organisation', {}, url('https://github.com/acme')],
    ['a repository of the organisation', {}, url('https://github.com/example-org/app')],
    ['another host', {}, url('https://ghe.example.com/example-org')],
    ['another group', {}, { spec: { runnerGroup: 'gpu' } }],
    ['another name at GitHub', {}, { spec: { runnerScaleSetName: 'linux-two' } }],
    ['unknown URLs', url(''), url('')],
    [
      'a deletion of one',
      {},
      { metadata: { name: 'linux', namespace: 'other', deletionTimestamp: '2026-06-01T11:00:00Z' } },
    ],
  ])('are two under %s', (_what, first: SetChanges, second: SetChanges) => {
    expect(pair(first, second)).toEqual([])
  })

  it('are one by their name at GitHub, whatever Kubernetes calls them', () => {
    const named = { spec: { githubConfigUrl: 'https://github.com/example-org', runnerScaleSetName: 'Linux' } }
    expect(pair({}, named, 'renamed')).toEqual(['arc-runners/linux', 'other/renamed'])
  })
})

describe('a pull secret', () => {
  const declared: FleetFile = {
    pullSecrets: [
      { name: 'ghcr-pull', authoritative: { namespace: 'arc-runners' }, copies: [{ namespace: 'arc-systems' }] },
    ],
  }
  const account = (name: string, imagePullSecrets: readonly Fields[]) => ({
    serviceaccounts: [{ metadata: { name, namespace: 'arc-runners' }, imagePullSecrets }],
  })

  it.each([
    ['nobody names it', {}, {}],
    ['another one is named', { pod: { imagePullSecrets: [{ name: 'old-pull' }] } }, {}],
    ['another account names it', {}, account('builder', [{ name: 'ghcr-pull' }])],
    [
      'the account names it, and the template another one',
      { pod: { imagePullSecrets: [{ name: 'old-pull' }] } },
      account('default', [{ name: 'ghcr-pull' }]),
    ],
  ])('is reported missing if %s', (_what, changes: SetChanges, lists: Lists) => {
    expect(listClasses(changes, lists, declared)).toContain('pull-secret-unnamed')
  })

  it.each([
    ['the template names it', { pod: { imagePullSecrets: [{ name: 'ghcr-pull' }] } }, {}],
    ['the default account names it', {}, account('default', [{ name: 'ghcr-pull' }])],
    [
      "the template's account names it",
      { pod: { serviceAccountName: 'builder' } },
      account('builder', [{ name: 'ghcr-pull' }]),
    ],
    ['accounts could not be read', {}, { serviceaccounts: FORBIDDEN }],
    ['it is declared for another namespace', { namespace: 'elsewhere' }, {}],
  ])('is not reported missing if %s', (_what, changes: SetChanges, lists: Lists) => {
    expect(listClasses(changes, lists, declared)).not.toContain('pull-secret-unnamed')
  })

  it('is reported missing for a set that pulls from the same place as another set with one', () => {
    const runner = { image: 'ghcr.io/acme/runner:1' }
    const neighbour = buildSet('a', { runner, pod: { imagePullSecrets: [{ name: 'acme' }] } })
    const judged = (changes: SetChanges) =>
      judge({ autoscalingrunnersets: [neighbour, buildSet('b', changes)] }).map(({ subject, class: name }) => [
        subject.name,
        name,
      ])
    expect(judged({ runner })).toEqual([['b', 'pull-secret-unnamed']])
    expect(judged({ runner, namespace: 'other' })).toEqual([])
    expect(judged({})).toEqual([])
    expect(judged({ runner: { image: 'ghcr.io/other/runner:1' } })).toEqual([])
    const official = buildSet('a', { pod: { imagePullSecrets: [{ name: 'acme' }] } })
    expect(judge({ autoscalingrunnersets: [official, buildSet('b')] })).toEqual([])
  })
})
