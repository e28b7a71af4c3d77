import { describe, expect, it } from 'vitest'
import { findFinding, runnerPod, runtimeFindings, traps } from '#test/fleets/arc-set.ts'
import { controllerLog } from '#test/fleets/arc-logs.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'
const idle: RunnerCase = { name: NAME }

describe('a set whose listener is missing', () => {
  it.each<readonly [string, readonly string[], SetCase]>([
    ['is reported', ['listener-missing lane'], { listener: false }],
    ['is reported for one without a pod', ['listener-missing lane'], { listenerPod: false }],
    ['is not reported for one that crashes', [], { listenerPod: { age: 2 } }],
    [
      'is not reported for one whose image cannot be pulled',
      [],
      { listenerPod: { phase: 'Pending', state: { waiting: { reason: 'ImagePullBackOff' } } } },
    ],
    ['is not reported for one that was stopped', [], { listener: { spec: { phase: 'Stopped' } }, listenerPod: false }],
    ['is not reported for a set that is terminating', [], { listener: false, set: { deleted: 5 } }],
    [
      'is reported only as the skew of its version',
      ['version-skew lane'],
      { listener: false, controller: { version: '0.13.1', isDown: true } },
    ],
    ['is reported only as parked', ['runner-outdated lane'], { listener: false, phase: 'Outdated' }],
    ['is reported without a controller', ['listener-missing lane'], { listener: false, controller: false }],
    ['is not reported if pods are blind', [], { listenerPod: false, blind: ['pods'] }],
    ['is not reported if a rollover could not be seen', [], { listener: false, blind: ['ephemeralrunners'] }],
    ['is not reported if its generations could not be seen', [], { listener: false, blind: ['ephemeralrunnersets'] }],
  ])('%s', (_title, expected, own) => {
    expect(traps(own)).toEqual(expected)
  })

  it('is advised by the state of the controller', () => {
    const hint = (own: SetCase) => findFinding({ listener: false, ...own }, 'listener-missing')?.hint
    expect(hint({ controller: { isDown: true } })).toContain('scale deployment arc-controller --replicas=1')
    expect(hint({})).toContain('logs deployment/arc-controller')
  })
})

describe('set and controller', () => {
  it.each<readonly [string, string, string, boolean]>([
    ['0.14.2', '0.14.2', 'the same', false],
    ['0.14.0', '0.14.2', 'another patch', false],
    ['0.13.1', '0.14.2', 'another minor', true],
    ['0.14.2', '0.13.1', 'another minor', true],
    ['0.12.0', '0.12.1', 'another patch from 0.12 on', false],
    ['0.11.0', '0.11.1', 'another patch up to 0.11', true],
    ['0.9.3', '0.9.3', 'the same', false],
    ['0.14.2', 'canary-2ee6b3b', 'a development build', false],
    ['0.14.2', 'latest', 'a tag that is no version', false],
  ])('of %s and %s (%s) are incompatible: %s', (version, controller, _title, is) => {
    expect(traps({ version, controller: { version: controller } })).toEqual(is ? ['version-skew lane'] : [])
  })

  it.each<readonly [string, SetCase, readonly string[]]>([
    ['by the Deployment if no pod runs', { controller: { version: '0.13.1', isDown: true } }, ['version-skew lane']],
    ['by the pod that runs while a rollout hangs', { controller: { version: '0.13.1', podVersion: '0.14.2' } }, []],
    ['not by one that serves another namespace', { controller: { version: '0.13.1', watches: 'elsewhere' } }, []],
    ['by one that serves its namespace', { controller: { version: '0.13.1', watches: 'arc' } }, ['version-skew lane']],
    [
      'not where Deployments are blind',
      { controller: { version: '0.13.1', isDown: true }, blind: ['deployments'] },
      [],
    ],
  ])('are compared %s', (_title, own, expected) => {
    expect(traps(own)).toEqual(expected)
  })
})

describe('a runner version that GitHub refuses', () => {
  const SET = 'runner-outdated lane'
  const RUNNER = `runner-outdated ${NAME}`
  const refused = 'Runner version v2.300.0 is deprecated and cannot receive messages.'
  const said = (age: number) =>
    controllerLog([
      age,
      'INFO\tAutoscalingRunnerSet\tEphemeral runner set is outdated\t{"autoscalingrunnerset": {"name":"lane","namespace":"arc"}}',
    ])
  const exit7 = {
    phase: 'Failed',
    state: { terminated: { exitCode: 7, startedAt: ago(20_000), finishedAt: ago(10_000) } },
  }
  const about = (kind: string, name: string) =>
    controllerLog([
      8,
      `INFO\tController\tUpdating ephemeral runner status to Outdated\t{"${kind}": {"name":"${name}","namespace":"arc"}}`,
    ])
  const gone = (age: number, pod = 'lane-x7k2p-runner-zzzzz') => [{ pod, lines: [[age, refused] as const] }]
  const head: SetCase = { set: { annotations: { 'actions.github.com/integrity-hash': 'a' } } }
  const young = {
    runnerSets: [{ name: 'lane', age: 5 }],
    listener: { age: 3, spec: { ephemeralRunnerSetName: 'lane' } },
    listenerPod: { age: 3 },
  }

  it.each<readonly [string, readonly string[], SetCase]>([
    ['by the phase of the set', [SET], { phase: 'Outdated', runnerSets: [], listener: false }],
    ['by the phase of its generation', [SET], { runnerSets: [{ status: { phase: 'Outdated' } }] }],
    ['by the phase of a runner', [SET, RUNNER], { runners: [{ ...idle, status: { phase: 'Outdated' } }] }],
    [
      'by exit code 7',
      [SET, RUNNER],
      { runners: [{ ...idle, status: { phase: 'Running', ready: false }, pod: exit7 }] },
    ],
    ['by exit code 7 of a runner that is gone', [SET], { pods: [runnerPod('lane-x7k2p-runner-zzzzz', exit7)] }],
    [
      "by the runner's own line",
      [SET, RUNNER],
      { version: '0.13.1', runners: [idle], logs: [{ pod: NAME, lines: [[30, refused]] }] },
    ],
    [
      'by the line of a runner that is gone',
      [SET],
      { version: '0.13.1', logs: [{ pod: 'lane-x7k2p-runner-zzzzz', lines: [[30, refused]] }] },
    ],
    [
      'not by such a line beside a runner that works',
      [],
      {
        version: '0.13.1',
        runners: [{ ...idle, age: 120 }],
        logs: [{ pod: 'lane-x7k2p-runner-zzzzz', lines: [[30, refused]] }],
      },
    ],
    [
      'not by a line of long ago',
      [],
      { version: '0.13.1', logs: [{ pod: 'lane-x7k2p-runner-zzzzz', lines: [[601, refused]] }] },
    ],
    ['by the line of the controller', [SET], { ...head, ...young, logs: [said(8)] }],
    ['not by a line before the generation that stands', [], { ...head, runnerSets: [{ age: 100 }], logs: [said(300)] }],
    ['by a line of ten minutes', [SET], { ...head, ...young, logs: [said(600)] }],
    ['not by an older one', [], { ...head, ...young, logs: [said(601)] }],
    ['by a line before a generation of a minute', [SET], { ...head, runnerSets: [{ age: 60 }], logs: [said(300)] }],
    ['by a line on its generation', [SET], { ...head, ...young, logs: [about('ephemeralrunnerset', 'lane')] }],
    [
      'by a line on a generation that is gone',
      [SET],
      { runnerSets: [], logs: [about('ephemeralrunnerset', 'lane-aaaaa')], listener: false },
    ],
    ['by a line on one of its runners', [SET], { logs: [about('ephemeralrunner', 'lane-x7k2p-runner-zzzzz')] }],
    ['not by a line on another set', [], { logs: [about('autoscalingrunnerset', 'other')] }],
    ['by a line of ten minutes of a runner that is gone', [SET], { logs: gone(600) }],
    [
      'by such a line beside a runner that is not ready',
      [SET],
      { runners: [{ ...idle, status: { ready: false } }], logs: gone(30) },
    ],
    ['by such a line next to a runner of a minute', [SET], { runners: [{ ...idle, age: 60 }], logs: gone(30) }],
    ['not by the line of a runner of another set', [], { logs: gone(30, 'other-x7k2p-runner-zzzzz') }],
    [
      'not by another exit code',
      [],
      { pods: [runnerPod('lane-x7k2p-runner-zzzzz', { phase: 'Failed', state: { terminated: { exitCode: 1 } } })] },
    ],
    ['not by exit code 7 of a pod of something else', [], { pods: [runnerPod('other', { ...exit7, labels: {} })] }],
    ['on a development build by a generation of seconds, where there is no log', [SET], { ...head, ...young }],
    ['not on a release by that', [], young],
    [
      'not on a development build where the log is silent',
      [],
      { ...head, ...young, logs: [controllerLog([5, 'nothing'])] },
    ],
    ['not on a development build that was just installed', [], { ...young, set: { ...head.set, age: 600 } }],
  ])('is reported %s', (_title, expected, own) => {
    expect(traps(own)).toEqual(expected)
  })
})

describe('the advice on a refused version', () => {
  it.each<readonly [SetCase, boolean]>([
    [{ phase: 'Outdated', listener: false }, true],
    [{ runnerSets: [{ status: { phase: 'Outdated' } }] }, false],
  ])('on %o says how a parked set comes back: %s', (own, is) => {
    expect(findFinding(own, 'runner-outdated')?.hint.includes('parked')).toBe(is)
  })
})

describe('runners that failed forever', () => {
  const failed = (name: string, more: Partial<RunnerCase> = {}): RunnerCase => ({
    name,
    status: { phase: 'Failed', reason: 'InvalidPod', message: 'exceeded quota: runners', ready: undefined },
    pod: null,
    github: 'absent',
    ...more,
  })

  it('hold capacity of their set, and are counted', () => {
    const finding = findFinding({ runners: [failed('a'), failed('b'), idle] }, 'failed-runners-hold-capacity')
    expect(finding).toMatchObject({
      severity: 'warning',
      subject: { name: 'lane' },
      fields: { failed: 2, maxRunners: 4, runners: ['a', 'b'] },
    })
    expect(finding?.hint).toContain('kubectl -n arc delete ephemeralrunner a b')
    expect(finding?.gates?.find(({ gate }) => gate === 'github-not-busy')?.holds).toBe(true)
  })

  it('are not reported once they are terminating', () => {
    expect(traps({ runners: [failed('a', { deleted: 5 })] })).toEqual([])
  })

  it('are not to be deleted with a job', () => {
    const finding = findFinding({ runners: [failed('a'), failed('b', { job: true })] }, 'failed-runners-hold-capacity')
    expect(finding?.hint).toMatch(/delete ephemeralrunner a$/)
    expect(finding?.gates?.find(({ gate }) => gate === 'no-job-on-record')).toMatchObject({
      holds: false,
      why: expect.stringContaining('b:') as string,
    })
  })
})

describe('what was asked for', () => {
  it.each([
    [{ scaleSets: ['lane'] }, 2],
    [{ scaleSets: ['arc/lane'] }, 2],
    [{ scaleSets: ['other'] }, 0],
    [{ labels: ['LANE'] }, 2],
    [{ labels: ['gpu'] }, 0],
  ])('%o is all that is reported', (question, count) => {
    expect(runtimeFindings({ runners: [idle] }, question)).toHaveLength(count)
  })
})
