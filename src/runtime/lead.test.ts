import { describe, expect, it } from 'vitest'

import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { lead } from '#/runtime/lead.ts'
import type { Duty } from '#/runtime/lead.ts'
import { createMetrics } from '#/runtime/metrics.ts'

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Time passes only when somebody sleeps, and then at once. */
function instantClock(): Clock {
  let now = 0
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms
      await new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
    },
  }
}

function terms() {
  const ends: ((why: string) => void)[] = []
  const resigned: number[] = []
  return {
    ends,
    resigned,
    leadership: {
      campaign: async () => {
        const epoch = ends.length + 1
        const lost = new Promise<string>((resolve) => {
          ends.push(resolve)
        })
        return { epoch, lost, resign: async () => void resigned.push(epoch) }
      },
    },
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000; turn += 1) {
    if (condition()) return
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
  throw new Error('never became true')
}

function start(duties: readonly Duty[]) {
  const world = terms()
  const stop = new AbortController()
  const metrics = createMetrics()
  const options = { leadership: world.leadership, duties, clock: instantClock(), log: quiet, metrics }
  const done = lead(options, stop.signal)
  return { ...world, stop, done, metrics }
}

describe('the leader', () => {
  it('performs its duties again and again, and resigns when it is told to stop', async () => {
    let runs = 0
    const led = start([{ name: 'count', everyMs: 10, perform: async () => void (runs += 1) }])
    await until(() => runs >= 3)
    expect(led.metrics.expose()).toContain('signalbox_leader 1')
    led.stop.abort()
    await led.done
    expect(led.resigned).toEqual([1])
    expect(led.metrics.expose()).toContain('signalbox_leader 0')
  })

  it('stops its duties when the lock is lost, and campaigns again', async () => {
    const signals: AbortSignal[] = []
    const perform = async (signal: AbortSignal) => void signals.push(signal)
    const led = start([{ name: 'watch', everyMs: 10, perform }])
    await until(() => signals.length > 0)
    led.ends[0]?.('the connection died')
    await until(() => led.ends.length === 2)
    expect(signals[0]?.aborted).toBe(true)
    led.stop.abort()
    await led.done
  })

  it('waits for a duty that is in the middle of something before it gives up the lock', async () => {
    let finish: () => void = () => {}
    let begun = false
    const perform = () =>
      new Promise<void>((resolve) => {
        begun = true
        finish = resolve
      })
    const led = start([{ name: 'slow', everyMs: 10, perform }])
    await until(() => begun)
    led.stop.abort()
    await until(() => true)
    expect(led.resigned).toEqual([])
    finish()
    await led.done
    expect(led.resigned).toEqual([1])
  })

  it('goes on after a duty failed, and counts the failure', async () => {
    let runs = 0
    const perform = async () => {
      runs += 1
      throw new Error('no')
    }
    const led = start([{ name: 'bad', everyMs: 10, perform }])
    await until(() => runs >= 2)
    led.stop.abort()
    await led.done
    expect(led.metrics.expose()).toMatch(/signalbox_duty_failures_total\{duty="bad"\} [2-9]/)
  })
})
