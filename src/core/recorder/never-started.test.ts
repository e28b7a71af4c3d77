import { describe, expect, it } from 'vitest'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { isOverdue } from './never-started.ts'

const CREATED = '2026-06-06T21:00:00Z'
const MINUTES = 60_000
const after = (minutes: number): number => Date.parse(CREATED) + minutes * MINUTES
const waits = (reason: string) => ({ name: 'runner', restartCount: 0, state: { waiting: { reason } } })
const gated = { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }
const refused = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }

const pod = (status: object, metadata: object = {}) =>
  readPod({
    metadata: { name: 'a', namespace: 'runners', creationTimestamp: CREATED, ...metadata },
    status: { phase: 'Pending', ...status },
  })

describe('a pod that should have started by now', () => {
  it.each([
    ['without a node', pod({ conditions: [refused] }), 5, true],
    ['without a node, a moment too early', pod({ conditions: [refused] }), 4.9, false],
    ['that waits for its image', pod({ containerStatuses: [waits('ImagePullBackOff')] }), 6, true],
    ['whose containers are being made', pod({ containerStatuses: [waits('ContainerCreating')] }), 6, true],
    ['held back on purpose', pod({ conditions: [gated] }), 60, false],
    [
      'that runs',
      pod({ phase: 'Running', containerStatuses: [{ name: 'runner', state: { running: {} } }] }),
      60,
      false,
    ],
    [
      'whose sidecar alone still waits',
      pod({
        containerStatuses: [
          { name: 'runner', state: { running: {} } },
          { ...waits('ErrImagePull'), name: 'dind' },
        ],
      }),
      60,
      false,
    ],
    [
      'whose runner ran before',
      pod({ containerStatuses: [{ ...waits('CrashLoopBackOff'), lastState: { terminated: { exitCode: 1 } } }] }),
      60,
      false,
    ],
    ['that has ended', pod({ phase: 'Failed' }), 60, false],
    ['that is being deleted', pod({}, { deletionTimestamp: CREATED }), 60, false],
    ['without a time of birth', pod({}, { creationTimestamp: undefined }), 60, false],
  ])('%s: after %#', (_, facts, minutes, expected) => {
    expect(isOverdue(facts, 5 * MINUTES, after(minutes))).toBe(expected)
  })
})
