import { describe, expect, it } from 'vitest'
import { preflight } from './audit.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { blind } from '#/core/basics/observed.ts'
import { judgeReadiness } from '#test/fleets/arc-set.ts'
import { controllerLog, listenerLog } from '#test/fleets/arc-logs.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'

const idle: RunnerCase = { name: 'lane-x7k2p-runner-aaaaa' }
const busy: RunnerCase = { name: 'lane-x7k2p-runner-bbbbb', job: true, github: 'busy' }
const noListener: SetCase = { listener: false, listenerPod: false }

describe('a set before a rollout', () => {
  it.each<readonly [string, string, SetCase]>([
    ['one generation and a working listener', 'ready', { runners: [idle, busy] }],
    ['no phase, as up to 0.13', 'ready', { version: '0.13.1' }],
    ['wrong counts in its status', 'ready', { set: { status: { currentRunners: 0, pendingEphemeralRunners: 9 } } }],
    ['no bound, as its listener', 'ready', { max: null }],
    ['a bound of 0, which its listener leaves out', 'ready', { max: 0, listener: { spec: { maxRunners: undefined } } }],
    [
      'runners that crash',
      'ready',
      { runners: [{ ...idle, status: { ready: false, failures: { a: '', b: '', c: '' } }, pod: null }] },
    ],
    ['GitHub blind', 'ready', { runners: [idle], blind: ['github', 'queue'] }],
    [
      'two generations under phase Running',
      'in-flight',
      { runnerSets: [{}, { name: 'lane-old', age: 90_000, deleted: 60 }] },
    ],
    ['phase Pending', 'in-flight', { phase: 'Pending' }],
    ['no listener over a job', 'in-flight', { ...noListener, phase: 'Pending', runners: [busy] }],
    ['no listener over a job up to 0.13', 'in-flight', { ...noListener, version: '0.13.1', runners: [busy] }],
    ['no listener over idle runners', 'wedged', { ...noListener, phase: 'Pending', runners: [idle] }],
    ['no listener over idle runners up to 0.13', 'wedged', { ...noListener, version: '0.13.1', runners: [idle] }],
    [
      'no listener over idle runners, by its record alone',
      'wedged',
      { ...noListener, phase: 'Pending', runners: [idle], blind: ['github'] },
    ],
    ['no listener at all', 'wedged', noListener],
    ['a listener without a pod', 'wedged', { listenerPod: false }],
    ['a listener that crash-loops', 'wedged', { listenerPod: { age: 2 } }],
    [
      'a listener whose image does not come',
      'wedged',
      { listenerPod: { phase: 'Pending', state: { waiting: { reason: 'ErrImagePull' } } } },
    ],
    ['a listener that says nothing', 'wedged', { logs: [listenerLog([], 200)] }],
    [
      'a listener that starts',
      'in-flight',
      { listener: { age: 30 }, listenerPod: { age: 20, phase: 'Pending', state: {} } },
    ],
    ['a listener of a dead generation', 'wedged', { listener: { spec: { ephemeralRunnerSetName: 'dead' } } }],
    ['a listener with another cap', 'wedged', { listener: { spec: { maxRunners: 3 } } }],
    [
      'a listener with another cap since a moment',
      'in-flight',
      { listener: { spec: { maxRunners: 3 } }, runners: [{ ...idle, age: 120 }] },
    ],
    ['a listener without a bound under a cap', 'wedged', { listener: { spec: { maxRunners: 2_147_483_647 } } }],
    ['a listener of other values', 'wedged', { listener: { annotations: { 'actions.github.com/values-hash': 'v0' } } }],
    [
      'a listener that does not report its values',
      'ready',
      { listener: { annotations: { 'actions.github.com/values-hash': null } } },
    ],
    ['no generation', 'wedged', { runnerSets: [], listener: { spec: { ephemeralRunnerSetName: null } } }],
    ['a set that was just made', 'in-flight', { ...noListener, phase: 'Pending', runnerSets: [], set: { age: 5 } }],
    ['a parked set', 'wedged', { ...noListener, phase: 'Outdated', runnerSets: [] }],
    ['a runner that does not go', 'wedged', { runners: [{ ...idle, deleted: 600 }] }],
    ['a runner that goes', 'ready', { runners: [{ ...idle, deleted: 599 }] }],
    ['a deleted runner that still works', 'in-flight', { runners: [{ ...busy, deleted: 600 }] }],
    ['a set that goes', 'in-flight', { set: { deleted: 30 } }],
    ['a set that does not go', 'wedged', { set: { deleted: 600 } }],
    ['a set that goes after its jobs', 'in-flight', { set: { deleted: 600 }, runners: [busy] }],
    ['listeners that could not be read', 'unknown', { blind: ['autoscalinglisteners'] }],
    ['pods that could not be read', 'unknown', { blind: ['pods'] }],
    ['runners that could not be read', 'unknown', { blind: ['ephemeralrunners'] }],
    ['generations that could not be read', 'unknown', { blind: ['ephemeralrunnersets'] }],
  ])('with %s is %s', (_title, expected, own) => {
    expect(judgeReadiness(own)?.class).toBe(expected)
  })

  it.each([
    ['ready', {}, 'info'],
    ['in-flight', { phase: 'Pending' }, 'warning'],
    ['wedged', noListener, 'critical'],
    ['unknown', { blind: ['pods'] }, 'warning'],
  ] as const)('that is %s has its severity, reasons and set', (_title, own, severity) => {
    const finding = judgeReadiness(own)
    expect(finding).toMatchObject({
      severity,
      subject: { kind: 'AutoscalingRunnerSet', namespace: 'arc', name: 'lane' },
    })
    expect(finding?.fields?.['reasons']).toEqual(expect.any(Array))
  })

  it.each<readonly [string, SetCase, readonly string[]]>([
    ['a rollover, not also its listener', { ...noListener, phase: 'Pending', runners: [busy] }, ['rollover-in-flight']],
    ['a wedge, not also its listener', { ...noListener, phase: 'Pending', runners: [idle] }, ['rollover-wedged']],
    [
      'parking, not also what a parked set has not',
      { ...noListener, phase: 'Outdated', runnerSets: [] },
      ['runner-outdated'],
    ],
    ['its deletion, not also what it deletes', { ...noListener, runnerSets: [], set: { deleted: 30 } }, ['deleting']],
    ['a missing listener', noListener, ['listener-missing']],
  ])('reports %s', (_title, own, reasons) => {
    expect(judgeReadiness(own)?.fields?.['reasons']).toEqual(reasons)
  })

  it('names every deciding reason', () => {
    const own = { listener: { spec: { maxRunners: 3 } }, listenerPod: { age: 2 } }
    expect(judgeReadiness(own)?.fields?.['reasons']).toEqual(['listener-crash-looping', 'listener-not-as-declared'])
  })

  it('is wedged by a line of the controller on a dead scale set', () => {
    const line =
      'Reconciler error\t{"EphemeralRunner": {"name":"lane-x7k2p-runner-zzzzz","namespace":"arc"}, "error": "failed to generate JIT config: RunnerScaleSetNotFoundException"}'
    expect(judgeReadiness({ logs: [controllerLog([10, line])] })?.class).toBe('wedged')
  })
})

describe('sets that could not be read', () => {
  it('are one unknown, about the source', () => {
    const fleet = buildFleet({ autoscalingrunnersets: blind('forbidden', '403') })
    expect(preflight.examine(fleet, WHOLE_FLEET)).toMatchObject([
      { class: 'unknown', subject: { kind: 'Source', name: 'kubernetes/autoscalingrunnersets' } },
    ])
  })
})
