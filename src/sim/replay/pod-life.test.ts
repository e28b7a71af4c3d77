import { describe, expect, it } from 'vitest'
import { at, textAt } from '#/core/basics/fields.ts'
import { podLife } from './pod-life.ts'
import type { PodPhase, Surrounding } from './pod-life.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z')
const time = (second: number): string => new Date(T0 + second * 1000).toISOString().replace('.000Z', 'Z')
const NOBODY: Surrounding = { askedAt: null, removedAt: null }

type Plan = {
  readonly phase: string
  readonly state?: object
  readonly deletion?: object
  readonly statusAt?: number
  readonly node?: string | null
}

function pod({ phase, state, deletion = {}, statusAt = 21, node = 'n1' }: Plan): object {
  const managedFields = [
    { manager: 'arc', time: time(0) },
    { manager: 'kubelet', subresource: 'status', time: time(statusAt) },
  ]
  const annotations = { 'signalbox.dev/last-seen': time(40) }
  return {
    metadata: { name: 'p', creationTimestamp: time(0), managedFields, annotations, ...deletion },
    spec: { terminationGracePeriodSeconds: 30, ...(node === null ? {} : { nodeName: node }) },
    status: { phase, reason: 'Because', containerStatuses: state === undefined ? [] : [{ name: 'runner', state }] },
  }
}

const ended = { terminated: { exitCode: 137, startedAt: time(1), finishedAt: time(20) } }

/** When, in which phase, and whether it was asked to go. */
function summarise(phases: readonly PodPhase[]): readonly (readonly unknown[])[] {
  return phases.map(({ at: moment, object }) => {
    if (object === null) return [(moment - T0) / 1000, 'gone']
    const asked = textAt(object, 'metadata', 'deletionTimestamp')
    return [
      (moment - T0) / 1000,
      textAt(object, 'status', 'phase'),
      ...(asked === null ? [] : [`until ${asked.slice(17, 19)}`]),
    ]
  })
}

describe('the life of a pod, derived from its last state', () => {
  it.each<[string, Plan, Surrounding, unknown]>([
    [
      'one that ended by itself waits, runs and ends when its status was written',
      { phase: 'Failed', state: ended },
      NOBODY,
      [
        [0, 'Pending'],
        [0.1, 'Pending'],
        [1, 'Running'],
        [21, 'Failed'],
      ],
    ],
    [
      'one that somebody deleted in the ordinary way has its grace before it ends',
      { phase: 'Failed', state: ended, deletion: { deletionTimestamp: time(22), deletionGracePeriodSeconds: 0 } },
      { askedAt: T0 + 10_000, removedAt: T0 + 22_000 },
      [
        [0, 'Pending'],
        [0.1, 'Pending'],
        [1, 'Running'],
        [10, 'Running', 'until 40'],
        [21, 'Failed', 'until 40'],
        [22, 'Failed', 'until 22'],
        [22, 'gone'],
      ],
    ],
    [
      'one that was deleted after its end ends without a word of that',
      { phase: 'Succeeded', state: ended, deletion: { deletionTimestamp: time(30), deletionGracePeriodSeconds: 0 } },
      { askedAt: T0 + 30_000, removedAt: T0 + 30_000 },
      [
        [0, 'Pending'],
        [0.1, 'Pending'],
        [1, 'Running'],
        [21, 'Succeeded'],
        [30, 'Succeeded', 'until 30'],
        [30, 'gone'],
      ],
    ],
    [
      'one that was removed by force was running when it went',
      {
        phase: 'Running',
        state: { running: { startedAt: time(1) } },
        statusAt: 1,
        deletion: { deletionTimestamp: time(9), deletionGracePeriodSeconds: 0 },
      },
      { askedAt: T0 + 9000, removedAt: T0 + 9000 },
      [
        [0, 'Pending'],
        [0.1, 'Pending'],
        [1, 'Running'],
        [9, 'Running', 'until 39'],
        [9, 'Running', 'until 09'],
        [9, 'gone'],
      ],
    ],
    [
      'one that never began to run goes from waiting to its end',
      {
        phase: 'Failed',
        state: { terminated: { exitCode: 128, startedAt: '1970-01-01T00:00:00Z', finishedAt: time(2) } },
        statusAt: 3,
      },
      NOBODY,
      [
        [0, 'Pending'],
        [0.1, 'Pending'],
        [3, 'Failed'],
      ],
    ],
    [
      'one that no node takes waits',
      { phase: 'Pending', node: null, statusAt: 0 },
      NOBODY,
      [
        [0, 'Pending'],
        [0.101, 'Pending'],
      ],
    ],
  ])('%s', (_, plan, surrounding, expected) => {
    expect(summarise(podLife(pod(plan), surrounding))).toEqual(expected)
  })

  it('shows at each time only what was known then', () => {
    const phases = podLife(pod({ phase: 'Failed', state: ended }), NOBODY)
    const [first, placed, running, last] = phases.map(({ object }) => object)
    expect(textAt(first, 'spec', 'nodeName')).toBeNull()
    expect(textAt(placed, 'spec', 'nodeName')).toBe('n1')
    expect(textAt(running, 'status', 'reason')).toBeNull()
    expect(at(running, 'status', 'containerStatuses')).toEqual([
      { name: 'runner', ready: true, started: true, state: { running: { startedAt: time(1) } } },
    ])
    expect(JSON.stringify(running)).not.toContain('kubelet')
    expect(JSON.stringify(last)).toContain('kubelet')
    expect(textAt(last, 'status', 'reason')).toBe('Because')
    expect(JSON.stringify(phases)).not.toContain('last-seen')
  })
})
