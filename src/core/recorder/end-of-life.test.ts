import { describe, expect, it } from 'vitest'
import { readLife, timeOfDeath, timeOfMissedDeath } from './end-of-life.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'

const NOW = Date.parse('2026-06-06T12:00:00Z')
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString()

type Given = {
  readonly phase?: string
  readonly state?: object
  readonly last?: object
  readonly policy?: string
  readonly deletionTimestamp?: string
  readonly conditions?: readonly object[]
}

function pod({ phase = 'Running', state = { running: {} }, last, policy = 'Never', ...rest }: Given): object {
  const { deletionTimestamp, conditions = [] } = rest
  return {
    metadata: {
      name: 'r',
      namespace: 'n',
      uid: 'u',
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: { restartPolicy: policy, containers: [{ name: 'runner' }] },
    status: { phase, conditions, containerStatuses: [{ name: 'runner', state, ...(last ? { lastState: last } : {}) }] },
  }
}

const ended = (exitCode: number, finishedAt: string) => ({ terminated: { exitCode, finishedAt } })
const life = (given: Given) => readLife(pod(given), readPod(pod(given)), NOW)

describe('the life of a runner pod', () => {
  it.each([
    ['runs', {}, { kind: 'living' }],
    ['waits', { phase: 'Pending', state: { waiting: {} } }, { kind: 'living' }],
    ['succeeded', { phase: 'Succeeded', state: ended(0, at(-5)) }, { kind: 'ended', diedAt: NOW - 5000 }],
    ['failed', { phase: 'Failed', state: ended(137, at(-1)) }, { kind: 'ended', diedAt: NOW - 1000 }],
    ['ended beside a sidecar', { state: ended(1, at(-2)) }, { kind: 'ended', diedAt: NOW - 2000 }],
    ['will be restarted', { state: ended(1, at(-2)), policy: 'Always' }, { kind: 'living' }],
    ['will be restarted on failure', { state: ended(1, at(-2)), policy: 'OnFailure' }, { kind: 'living' }],
    [
      'is done, and restarted on failure only',
      { state: ended(0, at(-2)), policy: 'OnFailure' },
      { kind: 'ended', diedAt: NOW - 2000 },
    ],
    ['was restarted', { last: ended(137, at(-60)), policy: 'Always' }, { kind: 'living' }],
    ['is asked to leave', { deletionTimestamp: at(30) }, { kind: 'deleting', overdueAt: NOW + 60_000 }],
    ['has left its grace behind', { deletionTimestamp: at(-29) }, { kind: 'deleting', overdueAt: NOW + 1000 }],
    ['should be gone for long', { deletionTimestamp: at(-30) }, { kind: 'ended', diedAt: NOW }],
  ])('of one that %s', (_, given: Given, expected) => {
    expect(life(given)).toEqual(expected)
  })

  const besides = (over: string, alive: string, state: object = { running: {} }) => {
    const containerStatuses = [
      { name: over, state: ended(0, at(-9)) },
      { name: alive, state },
    ]
    const object = { spec: { restartPolicy: 'Never' }, status: { phase: 'Running', containerStatuses } }
    return readLife(object, readPod(object), NOW)
  }

  it('has not ended when a sidecar, or a container that may not be the runner, has ended', () => {
    expect(besides('a-dind', 'actions-runner')).toEqual({ kind: 'living' })
    expect(besides('a-main', 'proxy')).toEqual({ kind: 'living' })
    expect(besides('runner', 'proxy')).toEqual({ kind: 'ended', diedAt: NOW - 9000 })
  })

  it('ends with the last container that may be the runner', () => {
    expect(besides('a-main', 'proxy', ended(1, at(-4)))).toEqual({ kind: 'ended', diedAt: NOW - 4000 })
  })

  it('ends with its last condition, for one that never ran', () => {
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: at(-9) }]
    expect(life({ phase: 'Failed', state: { waiting: {} }, conditions })).toEqual({ kind: 'ended', diedAt: NOW - 9000 })
  })

  it('does not end later than it was seen: clocks differ', () => {
    expect(timeOfDeath(readPod(pod({ phase: 'Failed', state: ended(1, at(20)) })), NOW)).toBe(NOW)
  })

  it('of a broken object is no crash', () => {
    expect(readLife({}, readPod({}), NOW)).toEqual({ kind: 'living' })
  })
})

describe('the time of a missed death', () => {
  const when = (given: Given, events: readonly { at: number; reason: string }[]) =>
    timeOfMissedDeath(readPod(pod(given)), { seenAt: NOW - 60_000, foundAt: NOW, events })
  it.each([
    ['its own', { state: ended(0, at(-50)) }, [], NOW - 50_000],
    ['that of its killing', {}, [{ at: NOW - 40_000, reason: 'Killing' }], NOW - 40_000],
    [
      'that of the first of several',
      {},
      [
        { at: NOW - 40_000, reason: 'Killing' },
        { at: NOW - 45_000, reason: 'Evicted' },
      ],
      NOW - 45_000,
    ],
    ['when it was found out, where other events only are there', {}, [{ at: NOW - 40_000, reason: 'Pulled' }], NOW],
    ['not that of an event before it was last seen alive', {}, [{ at: NOW - 60_001, reason: 'Killing' }], NOW],
    ['that of an event of the very moment', {}, [{ at: NOW - 60_000, reason: 'Killing' }], NOW - 60_000],
  ])('is %s', (_, given: Given, events, expected) => {
    expect(when(given, events)).toBe(expected)
  })
})
