import { describe, expect, it } from 'vitest'
import { findFinding, traps } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'
const CANDIDATE = [`offline-no-job-cleanup-candidate ${NAME}`]
const left: RunnerCase = { name: NAME, github: 'offline' }
const failures = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`uid-${index}`, ago(900_000)]))
const unregistered = { runnerId: 0, phase: undefined, ready: undefined }
const waits = (reason: string) => ({ phase: 'Pending', state: { waiting: { reason } } })

describe('a leftover runner', () => {
  it.each<readonly [string, readonly string[], SetCase]>([
    ['is a candidate when GitHub lists it as offline and not busy', CANDIDATE, { runners: [left] }],
    ['is a candidate when a complete list does not have it', CANDIDATE, { runners: [{ ...left, github: 'absent' }] }],
    ['is none while GitHub is blind', [], { runners: [left], blind: ['github'] }],
    [
      'is a candidate, by gates that do not hold, where only the jobs are blind',
      CANDIDATE,
      { runners: [left], blind: ['queue'] },
    ],
    ['is none while it is online', [], { runners: [{ name: NAME }] }],
    [
      'is none while GitHub calls it busy',
      [`assigned-job-at-risk ${NAME}`],
      { runners: [{ ...left, github: 'offline-busy' }] },
    ],
    ['is none with a job on record', [`assigned-job-at-risk ${NAME}`], { runners: [{ ...left, job: true }] }],
    [
      'is none while a job names it',
      [`assigned-job-at-risk ${NAME}`],
      { runners: [left], jobs: [{ id: 1, status: 'in_progress', runner_name: NAME }] },
    ],
    ['is none at ten minutes', [], { runners: [{ ...left, age: 600 }] }],
    ['is a candidate after ten minutes', CANDIDATE, { runners: [{ ...left, age: 601 }] }],
    ['is none that is terminating already', [], { runners: [{ ...left, deleted: 10 }] }],
    [
      'is none that never ran',
      [],
      { runners: [{ ...left, status: { phase: undefined, ready: undefined }, pod: null }] },
    ],
    [
      'is none that waits for its image',
      [],
      { runners: [{ ...left, status: { phase: 'Pending', ready: undefined }, pod: waits('ImagePullBackOff') }] },
    ],
    [
      'is none that waits for its image after a failure',
      [],
      { runners: [{ ...left, status: { ready: false, failures: failures(1) }, pod: waits('ErrImagePull') }] },
    ],
    [
      'is none that waits for a node after a failure',
      [],
      { runners: [{ ...left, status: { ready: false, failures: failures(1) }, pod: { phase: 'Pending', state: {} } }] },
    ],
    [
      'is a candidate when its pod vanished',
      CANDIDATE,
      { runners: [{ ...left, status: { ready: false }, pod: null }] },
    ],
    [
      'is a candidate after two failures',
      CANDIDATE,
      { runners: [{ ...left, status: { ready: false, failures: failures(2) }, pod: null }] },
    ],
    [
      'is none in a crash loop',
      [`runner-crash-loop ${NAME}`],
      { runners: [{ ...left, status: { ready: false, failures: failures(3) }, pod: null }] },
    ],
    [
      'is none that ARC gave up after its failures',
      ['failed-runners-hold-capacity lane'],
      { runners: [{ ...left, status: { phase: 'Failed', ready: false, failures: failures(3) }, pod: null }] },
    ],
    [
      'is none without a registration',
      [`never-registered ${NAME}`],
      { runners: [{ ...left, github: 'absent', status: unregistered, pod: null }] },
    ],
  ])('%s', (_title, expected, own) => {
    expect(traps(own)).toEqual(expected)
  })
})

describe('a runner without an id', () => {
  const own = (age: number): SetCase => ({
    runners: [{ name: NAME, age, github: 'absent', status: unregistered, pod: null }],
  })

  it('is no trap before five minutes', () => {
    expect(traps(own(299))).toEqual([])
  })

  it('was never registered after five minutes, and excludes the candidate', () => {
    expect(traps(own(300))).toEqual([`never-registered ${NAME}`])
    expect(traps(own(3600))).toEqual([`never-registered ${NAME}`])
  })

  it('reports its age and phase', () => {
    expect(findFinding(own(300), 'never-registered')?.evidence).toEqual([
      'it is 5m old and has no runner id',
      'it has no phase',
    ])
  })

  it('is shown by the log of the controller', () => {
    expect(findFinding(own(300), 'never-registered')?.hint).toContain(
      'kubectl -n arc-systems logs deployment/arc-controller',
    )
  })
})

describe('the gates of a runner without an id', () => {
  const waiting = { phase: 'Pending', state: { waiting: { reason: 'ContainerCreating' } } }
  const holds = (pod: RunnerCase['pod']) =>
    findFinding(
      { runners: [{ name: NAME, github: 'absent', status: unregistered, pod: pod ?? null }] },
      'never-registered',
    )?.gates?.find(({ gate }) => gate === 'no-worker-process')?.holds

  it('hold for a container that never started: it has no process', () => {
    expect(holds(waiting)).toBe(true)
    expect(holds({ ...waiting, lastState: { terminated: { exitCode: 1 } } })).toBe(false)
    expect(holds({ phase: 'Failed', state: {} })).toBe(true)
  })

  it.each([
    ['runs beside a daemon that ended', ['a-dind', 'actions-runner'], false],
    ['may be either of two, one of which ended', ['a-main', 'proxy'], false],
    ['ended beside a proxy', ['runner', 'proxy'], true],
  ])('hold only for a runner that is known to have ended: one that %s', (_what, [over = '', alive = ''], expected) => {
    const containers = [
      { name: over, state: { terminated: { exitCode: 0 } } },
      { name: alive, state: { running: {} } },
    ]
    expect(holds({ containers })).toBe(expected)
  })
})

describe('the gate of age', () => {
  it.each([
    [600, false],
    [601, true],
  ])('at %i seconds holds: %s', (age, holds) => {
    const own: SetCase = { runners: [{ name: NAME, age, github: 'absent', status: unregistered, pod: null }] }
    const gates = findFinding(own, 'never-registered')?.gates ?? []
    expect(gates.find(({ gate }) => gate === 'old-enough')?.holds).toBe(holds)
  })
})

describe('the gates of a candidate', () => {
  const gates = (own: SetCase) =>
    Object.fromEntries(
      (findFinding(own, 'offline-no-job-cleanup-candidate')?.gates ?? []).map(({ gate, holds }) => [gate, holds]),
    )

  it('come from the snapshot, and unknown ones do not hold', () => {
    expect(gates({ runners: [left] })).toEqual({
      identity: true,
      'no-job-on-record': true,
      'github-not-busy': true,
      'github-no-job-names-it': true,
      'github-deregistered': false,
      'no-worker-process': false,
      'old-enough': true,
      'listener-known': true,
      'complete-read': true,
      'within-cap': false,
      'evidence-stored': false,
    })
  })

  it.each<readonly [string, string, boolean, SetCase]>([
    ['no-worker-process', 'without a pod', true, { runners: [{ ...left, pod: null }] }],
    [
      'no-worker-process',
      'with a pod that ended',
      true,
      { runners: [{ ...left, pod: { phase: 'Failed', state: { terminated: { exitCode: 1 } } } }] },
    ],
    [
      'github-deregistered',
      'where GitHub does not have it',
      true,
      { runners: [{ ...left, github: 'absent' }, { name: 'other' }] },
    ],
    ['github-no-job-names-it', 'where the jobs are blind', false, { runners: [left], blind: ['queue'] }],
    ['complete-read', 'where the jobs are blind', false, { runners: [left], blind: ['queue'] }],
    [
      'complete-read',
      'where an empty list stands against ready runners',
      false,
      { runners: [{ ...left, github: 'absent' }] },
    ],
    [
      'complete-read',
      'where an empty list stands against none',
      true,
      { runners: [{ ...left, github: 'absent', status: { ready: false } }] },
    ],
    ['listener-known', 'where listeners are blind', false, { runners: [left], blind: ['autoscalinglisteners'] }],
    ['listener-known', 'where the listener is down', true, { runners: [left], listenerPod: false }],
    [
      'no-job-on-record',
      'with a mark of ours',
      false,
      { runners: [{ ...left, annotations: { 'signalbox.dev/slot': '1' } }] },
    ],
    ['identity', 'without a UID', false, { runners: [{ ...left, metadata: { uid: undefined } }] }],
  ])('%s, %s: %s', (gate, _title, holds, own) => {
    expect(gates(own)[gate]).toBe(holds)
  })
})
