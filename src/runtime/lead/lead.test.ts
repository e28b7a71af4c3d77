import { describe, expect, it } from 'vitest'
import type { Loss } from '#/ports/store/leadership.ts'
import { settle, startLead, UNREACHABLE, until } from '#test/lead/elections.ts'
import type { LeaderLoop } from './loop.ts'

/** A loop that runs until it is stopped, and what became of each run. */
function lastingRun(name: string, goesOn: boolean) {
  const runs: AbortSignal[] = []
  const run = async (signal: AbortSignal): Promise<void> => {
    runs.push(signal)
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  const loop: LeaderLoop = { name, everyMs: 10, run, ...(goesOn ? { goesOnWithoutStore: true } : {}) }
  return { loop, runs: () => runs.map(({ aborted }) => (aborted ? 'stopped' : 'runs')) }
}

function startBoth() {
  const recorder = lastingRun('recorder', true)
  const retention = lastingRun('retention', false)
  const led = startLead([recorder.loop, retention.loop])
  return { ...led, recorder: recorder.runs, retention: retention.runs }
}

const REPLACED: Loss = { kind: 'replaced', why: 'another epoch' }

describe('the leader', () => {
  it('runs its loops again and again, and resigns when it is stopped', async () => {
    let runs = 0
    const led = startLead([{ name: 'count', everyMs: 10, run: async () => void (runs += 1) }])
    const campaign = await led.current(1)
    campaign.win(1)
    await until(() => runs >= 3)
    expect(led.leads()).toBe(1)
    await led.end()
    expect(led.resigned).toEqual([1])
    expect(led.leads()).toBe(0)
  })

  it('waits for a loop that is in the middle of something before it gives up the lock', async () => {
    const middle = Promise.withResolvers<void>()
    let begun = false
    const run = async (): Promise<void> => {
      begun = true
      await middle.promise
    }
    const led = startLead([{ name: 'slow', everyMs: 10, run }])
    const campaign = await led.current(1)
    campaign.win(1)
    await until(() => begun)
    led.stop.abort()
    await settle()
    expect(led.resigned).toEqual([])
    middle.resolve()
    await led.done
    expect(led.resigned).toEqual([1])
  })

  it('goes on after a loop failed, and counts the failure', async () => {
    let runs = 0
    const run = async () => {
      runs += 1
      throw new Error('no')
    }
    const led = startLead([{ name: 'bad', everyMs: 10, run }])
    const campaign = await led.current(1)
    campaign.win(1)
    await until(() => runs >= 2)
    await led.end()
    expect(led.said().filter((line) => line === 'loop failed, will retry').length).toBeGreaterThanOrEqual(2)
  })
})

describe('a loss of leadership', () => {
  it.each([
    ['to an unreachable store', UNREACHABLE, ['runs'], ['stopped']],
    ['to another leader', REPLACED, ['stopped'], ['stopped']],
    ['by resigning', { kind: 'resigned', why: 'resigned' } as const, ['stopped'], ['stopped']],
  ])('%s stops what has to stop', async (_, loss, recorder, retention) => {
    const led = startBoth()
    const lose = (await led.current(1)).win(1)
    await until(() => led.recorder().length === 1 && led.retention().length === 1)
    lose(loss)
    const next = await led.current(2)
    await settle()
    expect([led.recorder(), led.retention()]).toEqual([recorder, retention])
    expect(led.leads()).toBe(0)
    expect(led.since() > 0).toBe(loss === UNREACHABLE)
    expect(led.said().includes('store unreachable: going on without it')).toBe(loss === UNREACHABLE)
    expect(next.former?.epoch).toBe(loss === UNREACHABLE ? 1 : undefined)
    await led.end()
    expect([led.recorder(), led.retention()]).toEqual([['stopped'], ['stopped']])
    expect(led.since()).toBe(0)
  })

  it('of a leader without a loop that goes on is one as any other', async () => {
    const retention = lastingRun('retention', false)
    const led = startLead([retention.loop])
    const lose = (await led.current(1)).win(1)
    lose(UNREACHABLE)
    const next = await led.current(2)
    await settle()
    expect([retention.runs(), led.since(), next.former]).toEqual([['stopped'], 0, undefined])
    await led.end()
  })
})

/** A loss to an unreachable store, and the campaign after it. */
async function loseStore() {
  const led = startBoth()
  const lose = (await led.current(1)).win(7)
  await until(() => led.recorder().length === 1)
  lose(UNREACHABLE)
  return { led, next: await led.current(2) }
}

describe('what goes on without the store', () => {
  it('belongs to the next term as it is, and the other loops begin again', async () => {
    const { led, next } = await loseStore()
    expect(led.status.withoutStoreSince()).not.toBeNull()
    next.win(8)
    await until(() => led.retention().length === 2)
    expect([led.recorder(), led.retention()]).toEqual([['runs'], ['stopped', 'runs']])
    expect([led.leads(), led.since(), led.status.withoutStoreSince()]).toEqual([1, 0, null])
    expect(led.said()).toContain('store reachable again')
    await led.end()
  })

  it('goes on over several outages', async () => {
    const { led, next } = await loseStore()
    next.win(8)(UNREACHABLE)
    const third = await led.current(3)
    await settle()
    expect(led.recorder()).toEqual(['runs'])
    expect(third.former?.epoch).toBe(8)
    await led.end()
  })

  it('begins anew where somebody else has led meanwhile', async () => {
    const { led, next } = await loseStore()
    next.win(9)
    await until(() => led.recorder().length === 2)
    expect(led.recorder()).toEqual(['stopped', 'runs'])
    expect(led.said()).toContain('another server led meanwhile: beginning anew')
    await led.end()
  })

  it('stops as soon as the store answers that somebody else leads, and begins anew when that one has gone', async () => {
    const { led, next } = await loseStore()
    next.former?.replaced('other/1')
    next.former?.replaced('other/1')
    await settle()
    expect([led.recorder(), led.leads(), led.since()]).toEqual([['stopped'], 0, 0])
    const line = 'another server leads: stopping what went on without the store'
    expect(led.said().filter((said) => said === line)).toHaveLength(1)
    next.win(9)
    await until(() => led.recorder().length === 2)
    expect(led.recorder()).toEqual(['stopped', 'runs'])
    await led.end()
  })

  it('does not wait for another loop that hangs at the store: that one is not begun twice', async () => {
    const hanging = Promise.withResolvers<void>()
    let begun = 0
    const run = async (): Promise<void> => {
      begun += 1
      await hanging.promise
    }
    const recorder = lastingRun('recorder', true)
    const led = startLead([recorder.loop, { name: 'retention', everyMs: 10, run }])
    const lose = (await led.current(1)).win(1)
    await until(() => begun === 1)
    lose(UNREACHABLE)
    const next = await led.current(2)
    next.win(2)
    await settle()
    expect([begun, recorder.runs(), led.resigned]).toEqual([1, ['runs'], [1]])
    hanging.resolve()
    await until(() => begun === 2)
    expect(recorder.runs()).toEqual(['runs'])
    await led.end()
  })
})
