import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { arcFleet, runnerPod } from '#test/fleets/arc-set.ts'
import { controllerLog } from '#test/fleets/arc-logs.ts'
import type { PodCase, RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { ago } from '#test/fleets/build-fleet.ts'
import { runnerStates } from './runner-state.ts'
import type { RunnerState } from './runner-state.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'

function findState(runner: Omit<RunnerCase, 'name'>, more: SetCase = {}): RunnerState | undefined {
  const fleet = arcFleet({ ...more, runners: [{ name: NAME, ...runner }] })
  return [...runnerStates(fleet).values()][0]
}

const failures = (count: number): Fields =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`uid-${index}`, ago(60_000 + index)]))

const crashing = (count: number): Omit<RunnerCase, 'name'> => ({
  status: { ready: false, failures: failures(count) },
  pod: null,
  github: 'offline',
})

/** A pod of another runner of the set, with its lifetime and the time since its end. */
const ended = (name: string, lived: number, endedAgo: number, exitCode = 1): Fields =>
  runnerPod(name, {
    phase: 'Failed',
    state: { terminated: { exitCode, startedAt: ago((endedAgo + lived) * 1000), finishedAt: ago(endedAgo * 1000) } },
  })

const three = (lived: number, endedAgo: number, exitCode = 1): readonly Fields[] =>
  ['b', 'c', 'd'].map((name) => ended(`lane-x7k2p-runner-${name}`, lived, endedAgo, exitCode))

const young: Omit<RunnerCase, 'name'> = {
  age: 20,
  status: { phase: 'Pending', ready: false },
  pod: { age: 5, phase: 'Pending', state: { waiting: { reason: 'ContainerCreating' } } },
  github: 'offline',
}

const gaveUp = (age: number): readonly [number, string] => [
  age,
  'INFO\tEphemeralRunner\tEphemeralRunner has failed more than 5 times. Deleting ephemeral runner so it can be re-created\t{"version": "0.14.2", "ephemeralrunner": {"name":"lane-x7k2p-runner-zzzzz","namespace":"arc"}}',
]

describe('a runner that crashes at startup', () => {
  it.each<readonly [string, boolean, Omit<RunnerCase, 'name'>, SetCase]>([
    ['three failures', true, crashing(3), {}],
    ['two failures', false, crashing(2), {}],
    ['three failures of a runner that is ready by now', false, { status: { failures: failures(3) } }, {}],
    [
      'three failures of one that ARC has given up',
      false,
      { ...crashing(3), status: { phase: 'Failed', ready: false, failures: failures(3) } },
      {},
    ],
    ['three short lives in its set', true, young, { pods: three(59, 30) }],
    ['three lives of a minute', false, young, { pods: three(60, 30) }],
    ['three short jobs that ended well', false, young, { pods: three(20, 30, 0) }],
    ['three short lives of long ago', false, young, { pods: three(20, 601) }],
    ['two short lives in its set', false, young, { pods: three(20, 30).slice(1) }],
    [
      'two short lives and a failure of its own',
      true,
      { ...young, status: { phase: 'Pending', ready: false, failures: failures(1) } },
      { pods: three(20, 30).slice(1) },
    ],
    ['a runner of its set that was given up', true, young, { logs: [controllerLog(gaveUp(600))] }],
    ['a runner of its set that was given up long ago', false, young, { logs: [controllerLog(gaveUp(601))] }],
    [
      'a runner of its set that only waits',
      false,
      young,
      {
        logs: [
          controllerLog([
            30,
            'INFO\tEphemeralRunner\tBacking off the next reconciliation\t{"ephemeralrunner": {"name":"lane-x7k2p-runner-zzzzz","namespace":"arc"}}',
          ]),
        ],
      },
    ],
    ['three short lives of ten minutes ago', true, young, { pods: three(20, 600) }],
    [
      'short lives of pods that are no runners',
      false,
      young,
      { pods: three(20, 30).map((pod) => ({ spec: pod['spec'], status: pod['status'], metadata: { name: 'x' } })) },
    ],
    [
      'short lives beside one between two pods',
      true,
      { age: 20, status: { phase: 'Running', ready: false }, pod: null },
      { pods: three(20, 30) },
    ],
    ['short lives beside one that is ready', false, {}, { pods: three(20, 30) }],
    [
      'short lives beside one that waits for an image',
      false,
      { ...young, pod: { phase: 'Pending', state: { waiting: { reason: 'ErrImagePull' } } } },
      { pods: three(20, 30) },
    ],
    [
      'short lives beside one that finds no node',
      false,
      { ...young, pod: { phase: 'Pending', state: {}, conditions: [{ type: 'PodScheduled', status: 'False' }] } },
      { pods: three(20, 30) },
    ],
    [
      'short lives beside one that a quota holds back',
      false,
      { status: { phase: undefined, ready: undefined }, pod: null },
      { pods: three(20, 30) },
    ],
  ])('by %s: %s', (_title, is, runner, more) => {
    expect(findState(runner, more)?.isCrashLooping).toBe(is)
  })

  it('counts a pod that is in its own map once', () => {
    const own = ended('lane-x7k2p-runner-b', 20, 30)
    const counted = {
      ...crashing(2),
      status: { ready: false, failures: { ...failures(1), 'uid-of-lane-x7k2p-runner-b': ago(30_000) } },
    }
    expect(findState(counted, { pods: [own] })?.crashes).toEqual({ own: 2, others: 0, givenUp: 0 })
  })
})

describe('a runner that ran at some time', () => {
  const never: Fields = { phase: 'Pending', ready: undefined }
  const waits: PodCase = { phase: 'Pending', state: { waiting: { reason: 'ContainerCreating' } } }

  it.each<readonly [string, boolean, Omit<RunnerCase, 'name'>]>([
    ['phase Running', true, { status: { phase: 'Running', ready: undefined }, pod: null }],
    ['ready false', true, { status: { phase: 'Pending', ready: false }, pod: null }],
    ['an entry in failures', true, { status: { ...never, failures: failures(1) }, pod: null }],
    ['a container that runs', true, { status: never, pod: { phase: 'Pending' } }],
    [
      'a container that ran before',
      true,
      { status: never, pod: { ...waits, lastState: { terminated: { exitCode: 1, startedAt: ago(9000) } } } },
    ],
    ['nothing but its registration', false, { status: never, pod: null }],
    ['a container that waits', false, { status: never, pod: waits }],
    [
      'a container that ended before it began',
      false,
      { status: never, pod: { phase: 'Pending', state: { terminated: { exitCode: 128 } } } },
    ],
  ])('is shown by %s: %s', (_title, is, runner) => {
    expect(findState(runner)?.hasStartedEver).toBe(is)
  })
})

describe('an idle runner', () => {
  const log = (text: string, later?: string) => ({
    logs: [{ pod: NAME, lines: [[60, text] as const, ...(later === undefined ? [] : [[30, later] as const])] }],
  })

  it.each<readonly [string, boolean, Omit<RunnerCase, 'name'>, SetCase]>([
    ['is ready, online and not busy', true, {}, {}],
    ['is idle in phase Pending too (0.15)', true, { status: { phase: 'Pending' } }, { version: '0.15.0' }],
    ['is not one that is not ready', false, { status: { ready: false } }, {}],
    ['is not one with a job on record', false, { job: true }, {}],
    ['is not one that GitHub calls busy', false, { github: 'busy' }, {}],
    ['is not one that a job names', false, {}, { jobs: [{ id: 1, status: 'in_progress', runner_name: NAME }] }],
    ['is not one that GitHub lists as offline', false, { github: 'offline' }, {}],
    ['is not one that GitHub does not list', false, { github: 'absent' }, {}],
    ['may be one of which GitHub could not be asked', true, {}, { blind: ['github'] }],
    ['is not one that is terminating', false, { deleted: 10 }, {}],
    ['is not one whose pod goes', false, { pod: { deleted: 10 } }, {}],
    ['is not one whose pod is gone', false, { pod: null }, {}],
    ['may be one whose pod could not be read', true, {}, { blind: ['pods'] }],
    ['is not one without a registration', false, { status: { runnerId: 0 } }, {}],
    ['is not one that gets no session', false, {}, log('A session for this runner already exists.')],
    [
      'is one that got its session later',
      true,
      {},
      log('A session for this runner already exists.', '2026-06-01 11:59:30Z: Runner reconnected.'),
    ],
    [
      'is not one that GitHub has forgotten',
      false,
      {},
      log('The runner registration has been deleted from the server'),
    ],
    ['is not one that is too old', false, {}, log('Runner version v2.300.0 is deprecated and cannot receive messages')],
  ])('%s: %s', (_title, is, runner, more) => {
    expect(findState(runner, more)?.isIdle).toBe(is)
  })

  it('is not one whose pod is gone', () => {
    const remembered = { metadata: { annotations: { 'signalbox.dev/last-seen': ago(60_000) } } }
    expect(findState({ pod: remembered })?.pod).toBeNull()
    expect(findState({ pod: remembered })?.isIdle).toBe(false)
  })
})

describe('a runner that counts for ARC', () => {
  it.each<readonly [string, boolean, Omit<RunnerCase, 'name'>]>([
    ['one that stands', true, {}],
    ['one that goes', false, { deleted: 5 }],
    ['one that failed', false, { status: { phase: 'Failed' } }],
    ['one that goes after it ended', false, { deleted: 5, status: { phase: 'Succeeded' } }],
  ])('is %s: %s', (_title, is, runner) => {
    expect(findState(runner)?.isLive).toBe(is)
  })
})
