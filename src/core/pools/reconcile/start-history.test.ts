import { describe, expect, it } from 'vitest'
import { NOW, podNow, startingPod } from '#test/pools/pool-world.ts'
import { NO_HISTORY, observeJobs, observePods, observeSize, paceOf, peakOf } from './start-history.ts'

const nobody = { retired: new Set<string>(), now: NOW }
const failed = () => podNow({ life: 'ended', slot: 'ended', waitsSince: null, obstacle: 'container poller ended' })

describe('what the leader remembers of starts', () => {
  it('counts each pod that failed once', () => {
    const pods = [failed(), failed()]
    const once = observePods(NO_HISTORY, pods, nobody)
    expect(observePods(once, pods, nobody).starts).toEqual({ failures: 2, lastAt: NOW, why: 'container poller ended' })
  })

  it('does not count a pod that we retired, or that has worked', () => {
    const pod = failed()
    expect(observePods(NO_HISTORY, [pod], { ...nobody, retired: new Set([pod.uid]) }).starts.failures).toBe(0)
    expect(observePods(NO_HISTORY, [podNow({ life: 'ended', slot: 'ended' })], nobody).starts.failures).toBe(0)
  })

  it('begins anew with a later pod that waits, not with one that has waited all the time', () => {
    const starts = { failures: 4, lastAt: NOW - 120_000, why: 'x' }
    const history = { ...NO_HISTORY, starts }
    expect(observePods(history, [podNow()], nobody).starts.failures).toBe(0)
    expect(observePods(history, [podNow({ createdAt: NOW - 3_600_000 })], nobody).starts.failures).toBe(4)
    expect(observePods(history, [podNow({ waitsSince: NOW - 1000 })], nobody).starts.failures).toBe(4)
    expect(observePods(history, [startingPod()], nobody).starts.failures).toBe(4)
  })

  it('knows how long starts take and how fast jobs come', () => {
    const pods = [podNow({ createdAt: NOW - 90_000, waitsSince: NOW - 60_000 })]
    const history = observeJobs(
      observePods(NO_HISTORY, pods, nobody),
      new Map([
        [1, NOW],
        [2, NOW - 400_000],
      ]),
      NOW,
    )
    expect(paceOf(history)).toEqual({ arrivalsPerSecond: 1 / 300, startP95Ms: 30_000 })
  })

  it('knows the largest size of the last while', () => {
    const window = { keepMs: 1000, now: NOW }
    const history = observeSize(observeSize(NO_HISTORY, 9, { keepMs: 1000, now: NOW - 900 }), 2, window)
    expect(peakOf(history, window)).toBe(9)
    expect(peakOf(history, { keepMs: 1000, now: NOW + 200 })).toBe(2)
  })
})
