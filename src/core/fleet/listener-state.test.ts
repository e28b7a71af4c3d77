import { describe, expect, it } from 'vitest'
import { arcFleet, listenerEvent } from '#test/fleets/arc-set.ts'
import { controllerLog, listenerLog } from '#test/fleets/arc-logs.ts'
import type { SetCase } from '#test/fleets/arc-set.ts'
import { isDown, listenerStates } from './listener-state.ts'
import type { ListenerState } from './listener-state.ts'
import { joinSetParts } from './set-parts.ts'

function findState(own: SetCase): ListenerState | undefined {
  const fleet = arcFleet(own)
  return listenerStates(fleet, joinSetParts(fleet)).get('arc/lane')
}

const findCondition = (own: SetCase) => findState(own)?.condition

const ended = (exitCode: number, age: number) => ({
  terminated: {
    exitCode,
    startedAt: '2026-06-01T11:00:00Z',
    finishedAt: new Date(Date.parse('2026-06-01T12:00:00Z') - age * 1000).toISOString(),
  },
})

const waiting = (reason: string) => ({ waiting: { reason } })

const terminated = (age: number): readonly [number, string] => [
  age,
  'INFO\tAutoscalingListener\tListener pod is terminated\t{"version": "0.14.2", "autoscalinglistener": {"name":"lane-b94c957d-listener","namespace":"arc-systems"}, "reason": "Error"}',
]

describe('the listener of a set', () => {
  it.each<readonly [string, string, SetCase]>([
    ['is well while its container runs', 'healthy', {}],
    ['is missing without an AutoscalingListener', 'missing', { listener: false }],
    ['is not reported missing yet in a set of a minute', 'starting', { listener: false, set: { age: 60 } }],
    ['is reported missing in a set that is older than a minute', 'missing', { listener: false, set: { age: 61 } }],
    ['is missing while the only one goes', 'missing', { listener: { deleted: 30 } }],
    ['is unknown if listeners could not be read', 'unknown', { blind: ['autoscalinglisteners'] }],
    ['is unknown if pods could not be read', 'unknown', { blind: ['pods'] }],
    ['is stopped if its phase is Stopped', 'stopped', { listener: { spec: { phase: 'Stopped' } }, listenerPod: false }],
    ['has no pod for too long after a minute', 'no-pod', { listener: { age: 61 }, listenerPod: false }],
    ['may have no pod for a minute', 'starting', { listener: { age: 60 }, listenerPod: false }],
    ['may be without a pod a moment after one', 'starting', { listenerPod: false, events: [listenerEvent(59, 'a')] }],
    ['has had no pod since a minute by its events', 'no-pod', { listenerPod: false, events: [listenerEvent(60, 'a')] }],
    ['has no pod if that has been terminating for over a minute', 'no-pod', { listenerPod: { deleted: 61 } }],
    ['may be exchanged within a minute', 'starting', { listenerPod: { deleted: 60 } }],
    ['waits for its image', 'image-trouble', { listenerPod: { phase: 'Pending', state: waiting('ImagePullBackOff') } }],
    [
      'may take five minutes to start',
      'starting',
      { listenerPod: { age: 299, phase: 'Pending', state: waiting('ContainerCreating') } },
    ],
    [
      'has not started after five minutes',
      'not-started',
      { listenerPod: { age: 300, phase: 'Pending', state: waiting('ContainerCreating') } },
    ],
    ['crashes where its container just ended', 'crash-looping', { listenerPod: { state: ended(1, 2) } }],
    ['is being exchanged if it ended well', 'starting', { listenerPod: { state: ended(0, 2) } }],
    ['crashes for a minute after its end', 'crash-looping', { listenerPod: { state: ended(1, 60) } }],
    ['has ended if it is not re-created', 'ended', { listenerPod: { state: ended(1, 61) } }],
    [
      'has ended with a pod that was evicted',
      'ended',
      { listenerPod: { phase: 'Failed', reason: 'Evicted', state: {} } },
    ],
  ])('%s: %s', (_title, condition, own) => {
    expect(findCondition(own)).toBe(condition)
  })
})

describe('a listener that is re-created repeatedly', () => {
  const events = (...ages: readonly number[]) => ages.map((age, index) => listenerEvent(age, `uid-${index}`))

  it.each<readonly [string, string, SetCase]>([
    ['by the events of three pods', 'crash-looping', { listenerPod: { age: 3 }, events: events(11, 7, 3) }],
    ['also in the second without a pod', 'crash-looping', { listenerPod: false, events: events(11, 7, 3) }],
    ['not by two: it was replaced', 'healthy', { listenerPod: { age: 3 }, events: events(7, 3) }],
    ['not by three of a minute ago', 'healthy', { listenerPod: { age: 70 }, events: events(68, 64, 60) }],
    ['not by three of long ago', 'healthy', { listenerPod: { age: 400 }, events: events(408, 404, 400) }],
    [
      'by three ends in the log of the controller',
      'crash-looping',
      { logs: [controllerLog(terminated(11), terminated(7), terminated(3))] },
    ],
    [
      'not by one end that was written three times',
      'healthy',
      { logs: [controllerLog(terminated(3), terminated(3), terminated(3))] },
    ],
    [
      'by pods of which the first is ten minutes old',
      'crash-looping',
      { listenerPod: { age: 3 }, events: events(600, 300, 3) },
    ],
    ['not by pods of before', 'healthy', { listenerPod: { age: 3 }, events: events(601, 300, 3) }],
    [
      'not by events of another pod',
      'healthy',
      {
        listenerPod: { age: 100 },
        events: [11, 7, 3].map((age) => listenerEvent(age, `uid-${age}`, 'other')),
      },
    ],
    [
      'not by other lines of the controller',
      'healthy',
      {
        logs: [
          controllerLog(
            ...[11, 7, 3].map((age) => [age, terminated(age)[1].replace('is terminated', 'is not ready')] as const),
          ),
        ],
      },
    ],
    [
      'by a pod of seconds under a listener of days, where nobody says else',
      'crash-looping',
      { listenerPod: { age: 59 } },
    ],
    ['not by a pod of a minute', 'healthy', { listenerPod: { age: 60 } }],
    ['not by a pod of a minute after its listener', 'healthy', { listener: { age: 110 }, listenerPod: { age: 50 } }],
    ['not by a pod as young as its listener', 'healthy', { listener: { age: 100 }, listenerPod: { age: 50 } }],
  ])('is found %s: %s', (_title, condition, own) => {
    expect(findCondition(own)).toBe(condition)
  })
})

describe('a listener in a loop is known in one read, whatever its pod does just then', () => {
  const OWN = 'uid-of-lane-b94c957d-listener'
  const start = (age: number, uid: string, reason = 'Started') => ({
    ...listenerEvent(age, uid),
    reason,
    firstTimestamp: new Date(Date.parse('2026-06-01T12:00:00Z') - age * 1000).toISOString(),
  })

  it.each<readonly [string, string, SetCase]>([
    [
      'it is created',
      'crash-looping',
      { listenerPod: { age: 1, phase: 'Pending', state: waiting('ContainerCreating') }, events: [start(1, OWN)] },
    ],
    ['it runs', 'crash-looping', { listenerPod: { age: 3 }, events: [start(3, OWN)] }],
    ['it has ended', 'crash-looping', { listenerPod: { age: 3, state: ended(1, 0) }, events: [start(3, OWN)] }],
    ['it is terminating', 'crash-looping', { listenerPod: { age: 4, deleted: 0 }, events: [start(4, OWN)] }],
    ['it is terminating, due later', 'crash-looping', { listenerPod: { age: 4, deleted: -30 } }],
    ['it is gone', 'crash-looping', { listenerPod: false, events: [start(4, 'uid-before')] }],
    [
      'it has just been created after one of seconds',
      'crash-looping',
      { listenerPod: { age: 20 }, events: [start(20, OWN), start(25, 'uid-before')] },
    ],
  ])('%s: %s', (_title, condition, own) => {
    expect(findCondition(own)).toBe(condition)
  })

  it.each<readonly [string, string, SetCase]>([
    ['its pod was replaced half a minute ago', 'healthy', { listenerPod: { age: 30 }, events: [start(30, OWN)] }],
    [
      'a pod of hours was replaced seconds ago',
      'healthy',
      { listenerPod: { age: 3 }, events: [start(3, OWN), start(5, 'uid-before', 'Killing')] },
    ],
    ['a pod of hours goes', 'starting', { listenerPod: { deleted: -30 }, events: [start(2, OWN, 'Killing')] }],
    ['a pod of hours is gone', 'starting', { listenerPod: false, events: [start(2, 'uid-before', 'Killing')] }],
    [
      'the listener itself is new',
      'starting',
      { listener: { age: 20 }, listenerPod: false, events: [start(4, 'uid-before')] },
    ],
  ])('but not where %s: %s', (_title, condition, own) => {
    expect(findCondition(own)).toBe(condition)
  })

  it('and nothing says that it has been going for no time', () => {
    expect(findState({ listenerPod: { deleted: -30 } })?.evidence.join()).not.toMatch(/\b0s\b/)
  })
})

describe('a listener that logs nothing', () => {
  const said = (lastAge: number) => [listenerLog([], lastAge)]

  it.each<readonly [string, string, SetCase]>([
    ['for three minutes is silent', 'silent', { logs: said(180) }],
    ['for less is well', 'healthy', { logs: said(179) }],
    ['since it began is silent', 'silent', { listenerPod: { age: 600 }, logs: said(600) }],
    ['is not judged by the log of the pod before it', 'healthy', { listenerPod: { age: 600 }, logs: said(601) }],
    ['is not judged by the log before its restart', 'healthy', { logs: [{ ...listenerLog([], 600), previous: true }] }],
    ['is not silent after the end of the collected log', 'healthy', { logs: said(400), logsUntil: { logs: 300 } }],
    [
      'is silent by the longer name of the source',
      'silent',
      { logs: said(400), logsUntil: { logs: 300, 'logs/arc-systems': 10 } },
    ],
    ['is not judged if its log could not be read', 'healthy', { blind: ['logs'] }],
  ])('%s: %s', (_title, condition, own) => {
    expect(findCondition(own)).toBe(condition)
  })
})

describe('a listener that is down', () => {
  it.each<readonly [ListenerState['condition'], boolean]>([
    ['healthy', false],
    ['starting', false],
    ['unknown', false],
    ['missing', true],
    ['no-pod', true],
    ['silent', true],
    ['crash-looping', true],
    ['stopped', true],
  ])('is one that is %s: %s', (condition, is) => {
    expect(isDown({ condition, listener: null, pod: null, evidence: [] })).toBe(is)
  })

  it('has the observed evidence', () => {
    expect(findState({ listener: { age: 120 }, listenerPod: false })?.evidence).toEqual([
      'AutoscalingListener lane-b94c957d-listener has no pod in arc-systems',
      'the AutoscalingListener is 2m old',
    ])
  })
})
