import { describe, expect, it } from 'vitest'

import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { lead } from './lead.ts'
import type { Loop } from './loop.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'

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

function start(loops: readonly Loop[]) {
  const world = terms()
  const stop = new AbortController()
  const metrics = createMetrics()
  const options = { leadership: world.leadership, loops, clock: instantClock(), log: quiet, metrics }
  const done = lead(options, stop.signal)
  return { ...world, stop, done, metrics }
}

describe('the leader', () => {
  it('runs its loops again and again, and resigns when it is stopped', async () => {
    let runs = 0
    const led = start([{ name: 'count', everyMs: 10, run: async () => void (runs += 1) }])
    await until(() => runs >= 3)
    expect(led.metrics.expose()).toContain('signalbox_leader 1')
    led.stop.abort()
    await led.done
    expect(led.resigned).toEqual([1])
    expect(led.metrics.expose()).toContain('signalbox_leader 0')
  })

  it('stops its loops when the lock is lost, and campaigns again', async () => {
    const signals: AbortSignal[] = []
    const run = async (signal: AbortSignal) => void signals.push(signal)
    const led = start([{ name: 'watch', everyMs: 10, run }])
    await until(() => signals.length > 0)
    led.ends[0]?.('the connection died')
    await until(() => led.ends.length === 2)
    expect(signals[0]?.aborted).toBe(true)
    led.stop.abort()
    await led.done
  })

  it('waits for a loop that is in the middle of something before it gives up the lock', async () => {
    let finish: () => void = () => {}
    let begun = false
    const run = () =>
      new Promise<void>((resolve) => {
        begun = true
        finish = resolve
      })
    const led = start([{ name: 'slow', everyMs: 10, run }])
    await until(() => begun)
    led.stop.abort()
    await until(() => true)
    expect(led.resigned).toEqual([])
    finish()
    await led.done
    expect(led.resigned).toEqual([1])
  })

  it('goes on after a loop failed, and counts the failure', async () => {
    let runs = 0
    const run = async () => {
      runs += 1
      throw new Error('no')
    }
    const led = start([{ name: 'bad', everyMs: 10, run }])
    await until(() => runs >= 2)
    led.stop.abort()
    await led.done
    expect(led.metrics.expose()).toMatch(/signalbox_loop_failures_total\{loop="bad"\} [2-9]/)
  })
})
