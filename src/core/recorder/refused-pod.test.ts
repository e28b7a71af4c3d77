import { describe, expect, it } from 'vitest'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import { makesRunners, refusalIn, refusalOfRunner } from './refused-pod.ts'

const MESSAGE =
  'Error creating: pods "linux-8g-x7m2p" is forbidden: exceeded quota: ci, requested: requests.cpu=8, used: requests.cpu=0, limited: requests.cpu=4'
const event = (more: object = {}) =>
  readEvent({
    reason: 'FailedCreate',
    message: MESSAGE,
    lastTimestamp: '2026-06-06T21:00:00Z',
    involvedObject: { kind: 'Job', namespace: 'ci', name: 'linux-8g', uid: 'u1' },
    ...more,
  })
const REFUSAL = {
  owner: { kind: 'Job', name: 'linux-8g', uid: 'u1' },
  namespace: 'ci',
  pod: 'linux-8g-x7m2p',
  at: Date.parse('2026-06-06T21:00:00Z'),
}

describe('a pod that was refused', () => {
  it.each([
    ['by a quota', {}, REFUSAL],
    ['again and again', { message: `(combined from similar events): ${MESSAGE}` }, REFUSAL],
    [
      'by another rule',
      { message: 'Error creating: pods "linux-8g-x7m2p" is forbidden: maximum cpu usage per Container is 2' },
      REFUSAL,
    ],
    [
      'and its StatefulSet says it in its own words',
      {
        message: `create Pod linux-8g-x7m2p in StatefulSet linux-8g failed error: ${MESSAGE.slice('Error creating: '.length)}`,
      },
      REFUSAL,
    ],
    [
      'by no one: the server was unreachable',
      { message: 'Error creating: Post "https://…": connection refused' },
      null,
    ],
    ['by no one: another reason', { reason: 'FailedScheduling' }, null],
    ['in an event without an object', { involvedObject: { kind: 'Job' } }, null],
  ])('%s', (_, more, expected) => {
    expect(refusalIn(event(more))).toEqual(expected)
  })

  it.each([
    ['a job whose pods carry the label', { spec: { template: { metadata: { labels: { pool: 'linux' } } } } }, true],
    ['a job that is not a runner', { spec: { template: { metadata: { labels: { app: 'web' } } } } }, false],
    ['a job without labels', { spec: { template: {} } }, false],
    ['a label of the job alone', { metadata: { labels: { pool: 'linux' } } }, false],
  ])('is a runner of %s', (_, owner, expected) => {
    expect(makesRunners(owner, 'pool')).toBe(expected)
  })

  it.each([
    ['InvalidPod', 'Failed', true],
    ['InvalidPod', 'Pending', false],
    ['TooManyPodFailures', 'Failed', false],
  ])('is found in the record of ARC with reason %s in phase %s', (reason, phase, expected) => {
    const runner = { metadata: { name: 'a', namespace: 'ci', uid: 'u2' }, status: { phase, reason } }
    expect(refusalOfRunner(runner)?.owner.uid).toBe(expected ? 'u2' : undefined)
  })
})
