import { describe, expect, it } from 'vitest'
import { settle, startLead, UNREACHABLE, until } from '#test/lead/elections.ts'
import type { LeaderLoop } from './loop.ts'

describe('the epoch of a loop', () => {
  /** Notes the epochs that a loop is given, once a run. */
  function noting(name: string, goesOn: boolean) {
    const epochs: number[] = []
    const run: LeaderLoop['run'] = async (_, term) => void epochs.push(term.epoch())
    const loop: LeaderLoop = { name, everyMs: 10, run, ...(goesOn ? { goesOnWithoutStore: true } : {}) }
    return { loop, epochs }
  }

  it('is that of the term that it serves, also where it goes on into the next one', async () => {
    const recorder = noting('recorder', true)
    const retention = noting('retention', false)
    const led = startLead([recorder.loop, retention.loop])
    const lose = (await led.current(1)).win(7)
    await until(() => recorder.epochs.length > 0 && retention.epochs.length > 0)
    lose(UNREACHABLE)
    const next = await led.current(2)
    await settle()
    expect([new Set(recorder.epochs), new Set(retention.epochs)]).toEqual([new Set([7]), new Set([7])])
    next.win(8)
    await until(() => recorder.epochs.includes(8) && retention.epochs.includes(8))
    expect(recorder.epochs).toEqual(recorder.epochs.toSorted((a, b) => a - b))
    await led.end()
  })

  it('of a run that its leader has lost stays the old one, so that the store fences what it still writes', async () => {
    const hanging = Promise.withResolvers<void>()
    const epochs: number[] = []
    const run: LeaderLoop['run'] = async (_, term) => {
      epochs.push(term.epoch())
      await hanging.promise
      epochs.push(term.epoch())
    }
    const led = startLead([{ name: 'slow', everyMs: 10, run }])
    const lose = (await led.current(1)).win(1)
    await until(() => epochs.length === 1)
    lose(UNREACHABLE)
    ;(await led.current(2)).win(2)
    await settle()
    hanging.resolve()
    await until(() => epochs.length > 2)
    expect(epochs.slice(0, 3)).toEqual([1, 1, 2])
    await led.end()
  })
})
