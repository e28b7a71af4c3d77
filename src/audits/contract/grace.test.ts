import { describe, expect, it } from 'vitest'
import { shortGrace } from './grace.ts'

const MINUTE = 60_000
const setWith = (grace: unknown, ...env: readonly unknown[]) => ({
  template: {
    ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
    containers: [
      { name: 'sidecar', env: [{ name: 'RUNNER_GRACEFUL_STOP_TIMEOUT', value: '900' }] },
      { name: 'runner', env },
    ],
  },
})
const timeout = (value: string) => ({ name: 'RUNNER_GRACEFUL_STOP_TIMEOUT', value })

describe('the grace period of a runner', () => {
  it.each([
    ['just below a minute', setWith(59), { seconds: 59, wanted: 60, isDefault: false }],
    ['that of Kubernetes', setWith(undefined), { seconds: 30, wanted: 60, isDefault: true }],
    ['that of Kubernetes, written down', setWith(30), { seconds: 30, isDefault: false }],
    ['just below the timeout', setWith(119, timeout('120')), { seconds: 119, wanted: 120, isDefault: false }],
    ['that of Kubernetes under a longer timeout', setWith(undefined, timeout('31')), { seconds: 30, isDefault: false }],
    ['0', setWith(0), { seconds: 0, wanted: 60 }],
    ['below a minute under a timeout that is no number', setWith(59, timeout('soon')), { wanted: 60, askedBy: null }],
    ['judged by the last of two timeouts', setWith(60, timeout('15'), timeout('90')), { wanted: 90 }],
  ])('is too short: %s', (_what, set, expected) => {
    expect(shortGrace(set, MINUTE)).toMatchObject(expected)
  })

  it.each([
    ['a minute', setWith(60)],
    ['as long as the timeout', setWith(120, timeout('120'))],
    ['longer than a timeout below a minute', setWith(30, timeout('15'))],
    ['that of Kubernetes, longer than the timeout', setWith(undefined, timeout('30s'))],
    [
      'of a timeout that stands elsewhere',
      setWith(5, { name: 'RUNNER_GRACEFUL_STOP_TIMEOUT', valueFrom: { secretKeyRef: {} } }),
    ],
  ])('is enough: %s', (_what, set) => {
    expect(shortGrace(set, MINUTE)).toBeNull()
  })

  it('is judged by the threshold of the fleet file', () => {
    expect(shortGrace(setWith(60), 2 * MINUTE)).toMatchObject({ wanted: 120 })
  })
})
