import { describe, expect, it } from 'vitest'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { buildSet } from '#test/fleets/build-scale-set.ts'
import { eventualWithWarmRunners } from './set-findings.ts'

const controller = (version: string, args: readonly string[], labels: object = {}) => ({
  metadata: {
    name: 'arc',
    namespace: 'arc-systems',
    labels: { 'app.kubernetes.io/part-of': 'gha-rs-controller', 'app.kubernetes.io/version': version, ...labels },
  },
  spec: {
    template: {
      spec: { containers: [{ name: 'manager', image: `x/gha-runner-scale-set-controller:${version}`, args }] },
    },
  },
})
const EVENTUAL = ['--update-strategy=eventual']

function judge(deployments: readonly ReturnType<typeof controller>[], minRunners = 1, changes = {}) {
  const fleet = buildFleet({
    deployments,
    autoscalingrunnersets: [buildSet('linux', { spec: { minRunners }, ...changes })],
  })
  const [set] = fleet.sets
  return set === undefined ? [] : eventualWithWarmRunners(fleet, set).map(({ severity }) => severity)
}

describe('a set under update strategy eventual', () => {
  it('is a warning with warm runners and info without', () => {
    expect(judge([controller('0.14.2', EVENTUAL)], 1)).toEqual(['warning'])
    expect(judge([controller('0.14.2', EVENTUAL)], 0)).toEqual(['info'])
  })

  it.each([
    ['0.9.3', 1],
    ['0.12.1', 1],
    ['0.14.9', 1],
    ['0.15.0', 0],
    ['1.0.0', 0],
    ['canary-2ee6b3b', 0],
  ])('counts up to 0.14: %s', (version, count) => {
    expect(judge([controller(version, EVENTUAL)])).toHaveLength(count)
  })

  it('is judged by the version of the set if the controller has none', () => {
    const pinned = controller('0.14.2', EVENTUAL)
    const [manager] = pinned.spec.template.spec.containers
    const nameless = {
      metadata: { ...pinned.metadata, labels: { 'app.kubernetes.io/part-of': 'gha-rs-controller' } },
      spec: { template: { spec: { containers: [{ ...manager, image: `x/gha@sha256:${'a'.repeat(64)}` }] } } },
    }
    expect(judge([nameless as typeof pinned], 1, { version: '0.13.1' })).toEqual(['warning'])
    expect(judge([nameless as typeof pinned], 1, { version: '0.15.0' })).toEqual([])
  })

  it('is known by the flag as two arguments', () => {
    expect(judge([controller('0.14.2', ['--update-strategy', 'eventual'])])).toEqual(['warning'])
  })

  it.each([
    ['immediate', [controller('0.14.2', ['--update-strategy=immediate'])]],
    ['the default', [controller('0.14.2', [])]],
    ['no controller at all', []],
    ['a controller of another namespace', [controller('0.14.2', [...EVENTUAL, '--watch-single-namespace=elsewhere'])]],
  ])('is not one under %s', (_what, deployments) => {
    expect(judge(deployments)).toEqual([])
  })

  it('is judged by the controller of its own namespace before the general one', () => {
    const own = controller('0.14.2', ['--watch-single-namespace=arc-runners'])
    expect(judge([controller('0.14.2', EVENTUAL), own])).toEqual([])
    expect(
      judge([controller('0.14.2', []), controller('0.14.2', [...EVENTUAL, '--watch-single-namespace=arc-runners'])]),
    ).toEqual(['warning'])
  })
})
