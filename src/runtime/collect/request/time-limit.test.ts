import { describe, expect, it } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { createTimeLimit } from './time-limit.ts'

/** Time passes only when somebody waits in vain. */
function passing() {
  let now = 0
  const slept: number[] = []
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    slept.push(ms)
    await new Promise((resolve) => setImmediate(resolve))
    if (signal?.aborted !== true) now += ms
  }
  return { clock: { now: () => now, sleep }, slept }
}

const hanging = (signal: AbortSignal): Promise<Observed<string>> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(blind('stopped', 'given up')), { once: true })
  })
const answering = async (): Promise<Observed<string>> => seen('here')
const { signal } = new AbortController()

describe('a limit of time', () => {
  it('leaves an answer as it is', async () => {
    const limit = createTimeLimit({ ...passing(), signal, eachMs: 10, allMs: 100 })
    expect(await limit.ask('x', answering)).toEqual(seen('here'))
    expect(await limit.ask('x', async () => blind('forbidden', 'no'))).toEqual(blind('forbidden', 'no'))
  })

  it('ends a question that is not answered, and does not ask when the time of all is over', async () => {
    const limit = createTimeLimit({ ...passing(), signal, eachMs: 10_000, allMs: 20_000 })
    expect(await limit.ask('n1', hanging)).toEqual(blind('timeout', 'n1: no answer within 10 s'))
    expect(await limit.ask('n2', hanging)).toMatchObject({ reason: { code: 'timeout' } })
    expect(await limit.ask('n3', answering)).toEqual(
      blind('timeout', 'n3: not asked, because those before it took 20 s'),
    )
  })

  it('hurries when many were not answered', async () => {
    const { clock, slept } = passing()
    const limit = createTimeLimit({ clock, signal, eachMs: 10, hurriedMs: 3, allMs: 1000 })
    for (let index = 0; index < 10; index += 1) await limit.ask('x', hanging)
    expect(slept).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 3, 3])
  })

  it('does not call it late when the whole is stopped', async () => {
    const stopping = new AbortController()
    const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) }
    const limit = createTimeLimit({ clock, signal: stopping.signal, eachMs: 10, allMs: 100 })
    const asked = limit.ask('x', hanging)
    stopping.abort()
    expect(await asked).toEqual(blind('stopped', 'given up'))
  })
})
