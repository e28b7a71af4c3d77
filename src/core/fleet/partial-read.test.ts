import { describe, expect, it } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'

const named = (name: string, more: object = {}) => ({ metadata: { name, namespace: 'a' }, ...more })
const owned = (by: string) => ({ metadata: { name: 'x', ownerReferences: [{ name: by }] } })

const running = (metadata: object) => ({
  metadata: { name: 'p', namespace: 'a', ...metadata },
  status: { phase: 'Running' },
})
const ownedBy = (kind: string) => ({ ownerReferences: [{ kind, name: 'o' }] })

describe('an empty list', () => {
  it.each([
    ['nodes', { pods: [named('p', { spec: { nodeName: 'n1' } })] }, 'a pod runs on node n1'],
    ['namespaces', { pods: [named('p')] }, 'a pod is in namespace a'],
    ['pods', { deployments: [named('d', { status: { readyReplicas: 1 } })] }, 'ready pods of Deployment d'],
    ['pods', { daemonsets: [named('d', { status: { numberReady: 1 } })] }, 'ready pods of DaemonSet d'],
    ['autoscalingrunnersets', { ephemeralrunnersets: [owned('lane')] }, 'owned by lane'],
    [
      'autoscalingrunnersets',
      { autoscalinglisteners: [named('l', { spec: { autoscalingRunnerSetName: 'lane' } })] },
      'serves lane',
    ],
    [
      'autoscalingrunnersets',
      { pods: [running({ labels: { 'actions.github.com/scale-set-name': 'lane' } })] },
      'a pod runs for lane',
    ],
    ['ephemeralrunners', { pods: [running(ownedBy('EphemeralRunner'))] }, 'for EphemeralRunner o'],
    ['autoscalinglisteners', { pods: [running(ownedBy('AutoscalingListener'))] }, 'for AutoscalingListener o'],
    ['ephemeralrunnersets', { ephemeralrunners: [owned('lane-x')] }, 'owned by lane-x'],
  ] as const)('of %s is blind if %o proves it wrong', (resource, lists, why) => {
    const fleet = buildFleet(lists)
    expect(fleet.saw(`kubernetes/${resource}`)).toBe(false)
    expect(fleet.snapshot.lists.get(resource)).toMatchObject({
      kind: 'blind',
      reason: { code: 'truncated', detail: expect.stringContaining(why) as string },
    })
  })

  it.each(['nodes', 'namespaces', 'pods', 'autoscalingrunnersets', 'ephemeralrunnersets'] as const)(
    'of %s holds if nothing contradicts it',
    (resource) => {
      expect(buildFleet({}).saw(`kubernetes/${resource}`)).toBe(true)
    },
  )

  it('of runners is believed if their pods have ended or are terminating', () => {
    const ended = { ...running(ownedBy('EphemeralRunner')), status: { phase: 'Succeeded' } }
    const going = running({ ...ownedBy('EphemeralRunner'), deletionTimestamp: '2026-06-01T00:00:00Z' })
    expect(buildFleet({ pods: [ended, going] }).saw('kubernetes/ephemeralrunners')).toBe(true)
  })

  it('of pods is believed if a Deployment has none that is ready', () => {
    expect(buildFleet({ deployments: [named('d', { status: { replicas: 1 } })] }).saw('kubernetes/pods')).toBe(true)
  })
})

describe('a list that could not be read', () => {
  it('keeps its reason', () => {
    const fleet = buildFleet({ nodes: blind('forbidden', 'no'), pods: [named('p', { spec: { nodeName: 'n1' } })] })
    expect(fleet.snapshot.lists.get('nodes')).toEqual(blind('forbidden', 'no'))
  })

  it('has no rows, and `saw` is false', () => {
    const fleet = buildFleet({ nodes: blind('forbidden', 'no') })
    expect([fleet.nodes, fleet.saw('kubernetes/nodes'), fleet.saw('kubernetes/pods')]).toEqual([[], false, true])
  })
})

describe('an empty document', () => {
  const empty = { kind: 'blind', reason: { code: 'truncated', detail: 'the document is empty' } }

  it('is blind, from any source', () => {
    const others = { runners: seen([]), queuedJobs: seen([]), jobs: seen([]) }
    const { snapshot } = buildFleet(
      {},
      {
        stats: new Map([['n', seen({})]]),
        configz: new Map([['n', seen({})]]),
        github: { ...others, rateLimit: seen({}) },
      },
    )
    expect([snapshot.stats.get('n'), snapshot.configz.get('n'), snapshot.github.rateLimit]).toEqual([
      empty,
      empty,
      empty,
    ])
  })

  it('differs from one with content', () => {
    const { snapshot } = buildFleet({}, { stats: new Map([['n', seen({ node: {} })]]) })
    expect(snapshot.stats.get('n')).toEqual(seen({ node: {} }))
  })
})
