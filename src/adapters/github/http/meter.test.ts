import { describe, expect, it } from 'vitest'
import { createSkippingClock } from '#test/contracts/github-world.ts'
import { createMeter } from './meter.ts'

const SIGNAL = new AbortController().signal
const headers = (remaining: number, resetAt: number, resource = 'core') => ({
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetAt / 1000),
  'x-ratelimit-resource': resource,
})

describe('the meter of a credential', () => {
  it('lets in so many at once and the next one when one leaves', async () => {
    const meter = createMeter(createSkippingClock(), 'token', 2)
    const first = await meter.enter('core', 0, SIGNAL)
    await meter.enter('core', 0, SIGNAL)
    let third = false
    const waiting = meter.enter('core', 0, SIGNAL).then(() => (third = true))
    await Promise.resolve()
    expect(third).toBe(false)
    if (first.kind === 'entered') {
      first.leave()
      // Leaving twice must not make room for two.
      first.leave()
    }
    await waiting
    let fourth = false
    void meter.enter('core', 0, SIGNAL).then(() => (fourth = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(fourth).toBe(false)
  })

  it('lets whoever stops leave the queue without taking a place', async () => {
    const meter = createMeter(createSkippingClock(), 'token', 1)
    const first = await meter.enter('core', 0, SIGNAL)
    const stop = new AbortController()
    const second = meter.enter('core', 0, stop.signal)
    const third = meter.enter('core', 0, SIGNAL)
    stop.abort()
    expect(await second).toEqual({ kind: 'stopped' })
    if (first.kind === 'entered') first.leave()
    expect((await third).kind).toBe('entered')
  })

  it('waits for a spent budget within the patience, and says until when beyond it', async () => {
    const clock = createSkippingClock()
    const meter = createMeter(clock, 'token', 1)
    const resetAt = clock.now() + 20_000
    meter.note(headers(0, resetAt))
    expect(await meter.enter('core', 10_000, SIGNAL)).toEqual({ kind: 'held', until: resetAt })
    expect(clock.slept()).toEqual([])
    expect((await meter.enter('core', 30_000, SIGNAL)).kind).toBe('entered')
    expect(clock.slept()).toEqual([20_000])
  })

  it('holds back only what the spent budget pays for', async () => {
    const clock = createSkippingClock()
    const meter = createMeter(clock, 'token', 1)
    meter.note(headers(0, clock.now() + 60_000, 'actions_runner_registration'))
    expect((await meter.enter('core', 0, SIGNAL)).kind).toBe('entered')
    expect((await meter.enter('actions_runner_registration', 0, SIGNAL)).kind).toBe('held')
  })

  it('holds back everything during a secondary limit and shows it with the budget', async () => {
    const clock = createSkippingClock()
    const meter = createMeter(clock, 'token', 1)
    const until = clock.now() + 60_000
    meter.note(headers(100, clock.now() + 3_600_000))
    meter.hold(until)
    expect(await meter.enter('core', 0, SIGNAL)).toEqual({ kind: 'held', until })
    expect(meter.budgets()).toMatchObject([{ remaining: 100, heldUntil: until }])
    clock.advance(60_000)
    expect(meter.budgets()).toMatchObject([{ heldUntil: null }])
    expect((await meter.enter('core', 0, SIGNAL)).kind).toBe('entered')
  })

  it('holds back also who stood in the queue when the limit came', async () => {
    const clock = createSkippingClock()
    const meter = createMeter(clock, 'token', 1)
    const first = await meter.enter('core', 0, SIGNAL)
    const second = meter.enter('core', 0, SIGNAL)
    const until = clock.now() + 60_000
    meter.hold(until)
    if (first.kind === 'entered') first.leave()
    expect(await second).toEqual({ kind: 'held', until })
    clock.advance(60_000)
    expect((await meter.enter('core', 0, SIGNAL)).kind).toBe('entered')
  })

  it('counts the limits of requests that were under way together as one strike', () => {
    const clock = createSkippingClock()
    const meter = createMeter(clock, 'token', 8)
    for (let count = 0; count < 8; count += 1) meter.hold(clock.now() + 60_000)
    expect(meter.strikes()).toBe(1)
    meter.relieve()
    expect(meter.strikes()).toBe(1)
    clock.advance(60_000)
    meter.hold(clock.now() + 60_000)
    expect(meter.strikes()).toBe(2)
    clock.advance(60_000)
    meter.relieve()
    expect(meter.strikes()).toBe(0)
  })

  it('believes the lowest count of a window, the newer window, and nothing of a year from now', () => {
    const clock = createSkippingClock()
    const meter = createMeter(clock, 'token', 1)
    const remaining = () => meter.budgets()[0]?.remaining
    const resetAt = clock.now() + 600_000
    meter.note(headers(90, resetAt))
    meter.note(headers(95, resetAt))
    expect(remaining()).toBe(90)
    meter.note(headers(10, resetAt - 3_600_000))
    expect(remaining()).toBe(90)
    meter.note(headers(4999, resetAt + 3_600_000))
    expect(remaining()).toBe(4999)
    meter.note(headers(0, clock.now() + 365 * 86_400_000))
    expect(meter.budgets()[0]?.resetAt).toBeLessThan(clock.now() + 2 * 3_600_000)
  })

  it('keeps a bounded number of resources, whatever the headers say', () => {
    const clock = createSkippingClock()
    const meter = createMeter(clock, 'token', 1)
    for (let index = 0; index < 1000; index += 1) meter.note(headers(1, clock.now() + 1000, `made-up-${index}`))
    expect(meter.budgets().length).toBeLessThan(50)
  })
})
