import { describe, expect, it } from 'vitest'
import { makeBackoff } from './backoff.ts'
import { DEFAULT_TUNING } from './tuning.ts'

function recording(random: number) {
  const slept: number[] = []
  const clock = {
    now: () => 0,
    sleep: async (ms: number) => {
      slept.push(ms)
    },
  }
  const tuning = { ...DEFAULT_TUNING, backoffFirstMs: 100, backoffMostMs: 1000 }
  return { slept, backoff: makeBackoff(clock, () => random, tuning) }
}

const signal = new AbortController().signal

describe('the back-off', () => {
  it('doubles up to its most, and begins anew after a success', async () => {
    const { slept, backoff } = recording(1)
    for (let failure = 0; failure < 6; failure += 1) await backoff.wait(0, signal)
    expect(slept).toEqual([100, 200, 400, 800, 1000, 1000])
    expect(backoff.failures()).toBe(6)
    backoff.reset()
    await backoff.wait(0, signal)
    expect(slept.at(-1)).toBe(100)
  })

  it('is spread over the upper half, and never shorter than the server asked for', async () => {
    const { slept, backoff } = recording(0)
    await backoff.wait(0, signal)
    await backoff.wait(7000, signal)
    expect(slept).toEqual([50, 7000])
  })
})
