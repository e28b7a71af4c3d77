import { describe, expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'

const TWENTY_FIVE_DAYS_MS = 25 * 24 * 3_600_000

describe('the clock of the machine', () => {
  it('gives the time of the machine', () => {
    const before = Date.now()
    expect(systemClock.now()).toBeGreaterThanOrEqual(before)
    expect(systemClock.now()).toBeLessThanOrEqual(Date.now())
  })

  it('sleeps for the given time', async () => {
    const before = performance.now()
    await systemClock.sleep(30)
    expect(performance.now() - before).toBeGreaterThanOrEqual(29)
  })

  it('wakes without an error when the signal aborts, before or during the sleep', async () => {
    await systemClock.sleep(60_000, AbortSignal.abort())
    const controller = new AbortController()
    const sleeping = systemClock.sleep(60_000, controller.signal)
    controller.abort(new Error('enough'))
    await expect(sleeping).resolves.toBeUndefined()
  })

  it('sleeps longer than one timer of Node can', async () => {
    vi.useFakeTimers()
    try {
      let awake = false
      const sleeping = systemClock.sleep(TWENTY_FIVE_DAYS_MS).then(() => {
        awake = true
      })
      await vi.advanceTimersByTimeAsync(TWENTY_FIVE_DAYS_MS - 1)
      expect(awake).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      await sleeping
    } finally {
      vi.useRealTimers()
    }
  })
})
