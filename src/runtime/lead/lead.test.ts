import { describe, expect, it } from 'vitest'
import type { Clock } from '#/ports/clock.ts'
import type { Log, LogFields } from '#/ports/log.ts'
import type { FormerTerm, Leadership, Loss, Term } from '#/ports/store/leadership.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { lead } from './lead.ts'
import { createLeadStatus } from './lead-status.ts'
import type { Loop } from './loop.ts'

/** Time passes only when somebody sleeps, and then at once. */
function instantClock(): Clock {
  let now = 1000
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms
      await turn()
    },
  }
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; turns < 100_000; turns += 1) {
    if (condition()) return
    await turn()
  }
  throw new Error('never became true')
}

/** Whatever may still happen has happened. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await turn()
}

type Campaign = { readonly former: FormerTerm | undefined; readonly win: (epoch: number) => (loss: Loss) => void }

/** Elections that a test decides. */
function elections() {
  const campaigns: Campaign[] = []
  const resigned: number[] = []
  const campaign: Leadership['campaign'] = (signal, former) =>
    new Promise<Term | null>((resolve) => {
      signal.addEventListener('abort', () => resolve(null), { once: true })
      const win = (epoch: number) => {
        const { promise: lost, resolve: lose } = Promise.withResolvers<Loss>()
        resolve({ epoch, lost, resign: async () => void resigned.push(epoch) })
        return lose
      }
      campaigns.push({ former, win })
    })
  /** The one that is under way. */
  const current = async (number: number): Promise<Campaign> => {
    await until(() => campaigns.length === number)
    return campaigns[number - 1] as Campaign
  }
  return { leadership: { campaign }, resigned, current }
}

/** A loop that runs until it is stopped, and what became of each run. */
function lastingRun(name: string, goesOn: boolean) {
  const runs: AbortSignal[] = []
  const run = async (signal: AbortSignal): Promise<void> => {
    runs.push(signal)
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  const loop: Loop = { name, everyMs: 10, run, ...(goesOn ? { goesOnWithoutStore: true } : {}) }
  return { loop, runs: () => runs.map(({ aborted }) => (aborted ? 'stopped' : 'runs')) }
}

function start(loops: readonly Loop[]) {
  const world = elections()
  const stop = new AbortController()
  const metrics = createMetrics()
  const status = createLeadStatus(metrics)
  const lines: (readonly [string, LogFields])[] = []
  const say = (message: string, fields: LogFields = {}): void => void lines.push([message, fields])
  const log: Log = { debug: say, info: say, warn: say, error: say }
  const done = lead({ leadership: world.leadership, loops, status, clock: instantClock(), log, metrics }, stop.signal)
  const read = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics.expose())?.[1])
  const leads = (): number => read('signalbox_leader')
  const since = (): number => read('signalbox_recording_without_store_since_timestamp_seconds')
  const said = (): readonly string[] => lines.map(([message]) => message)
  const end = async (): Promise<void> => {
    stop.abort()
    await done
  }
  return { ...world, stop, done, end, status, leads, since, said }
}

function startBoth() {
  const recorder = lastingRun('recorder', true)
  const retention = lastingRun('retention', false)
  const led = start([recorder.loop, retention.loop])
  return { ...led, recorder: recorder.runs, retention: retention.runs }
}

const UNREACHABLE: Loss = { kind: 'unreachable', why: 'no answer' }
const REPLACED: Loss = { kind: 'replaced', why: 'another epoch' }

describe('the leader', () => {
  it('runs its loops again and again, and resigns when it is stopped', async () => {
    let runs = 0
    const led = start([{ name: 'count', everyMs: 10, run: async () => void (runs += 1) }])
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
    const led = start([{ name: 'slow', everyMs: 10, run }])
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
    const led = start([{ name: 'bad', everyMs: 10, run }])
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
    const led = start([retention.loop])
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
    const led = start([recorder.loop, { name: 'retention', everyMs: 10, run }])
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
