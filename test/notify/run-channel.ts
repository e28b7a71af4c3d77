import { setImmediate as turn } from 'node:timers/promises'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Death } from '#/core/recorder/death.ts'
import { buildText } from '#/core/notify/notice-text.ts'
import type { Notice } from '#/core/notify/notice.ts'
import { createRate } from '#/core/notify/rate.ts'
import type { Log, LogFields } from '#/ports/log.ts'
import type { Sending } from '#/ports/notifier.ts'
import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { Store } from '#/ports/store/store.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createChannel } from '#/runtime/notify/channel.ts'
import type { Channel, ChannelPlan } from '#/runtime/notify/channel.ts'
import type { NoticeOutcome } from '#/runtime/notify/notify-metrics.ts'
import type { HandClock } from '#test/github/hand-clock.ts'
import { createHandClock } from '#test/github/hand-clock.ts'

export type ChannelWorld = {
  readonly store: Store
  readonly clock: HandClock
  /** Everything that any channel tried to send. */
  readonly tried: Notice[]
  readonly logged: { readonly level: string; readonly message: string; readonly fields: LogFields }[]
  readonly metrics: ReturnType<typeof createMetrics>
  /** Outcomes of the next attempts, then `sent`. A function can delay its outcome. */
  readonly answers: (Sending | (() => Promise<Sending>))[]
  readonly start: (plan?: Partial<ChannelPlan>) => RunningChannel
  /** Moves the clock second by second and runs everything that is due. */
  readonly pass: (seconds: number) => Promise<void>
  readonly record: (row: DeathRecord) => Promise<void>
  readonly headlines: () => readonly string[]
  /** Of `signalbox_notices_total`. */
  readonly outcomes: (outcome: NoticeOutcome) => number
}
export type RunningChannel = Channel & {
  readonly stop: () => Promise<void>
  /** As if the process was killed: nothing that it still does has an effect. */
  readonly kill: () => void
}

export function channelWorld(store: Store = memoryStore()): ChannelWorld {
  const clock = createHandClock()
  const tried: Notice[] = []
  const logged: ChannelWorld['logged'] = []
  const answers: ChannelWorld['answers'] = []
  const metrics = createMetrics()
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void logged.push({ level, message, fields })
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      for (let turns = 0; turns < 4; turns += 1) await turn()
      clock.advance(1000)
    }
    for (let turns = 0; turns < 4; turns += 1) await turn()
  }
  const start = (given: Partial<ChannelPlan> = {}): RunningChannel => {
    const killed = new AbortController()
    const stopped = new AbortController()
    const send = async (notice: Notice): Promise<Sending> => {
      tried.push(notice)
      const answer = answers.shift() ?? { kind: 'sent' }
      return typeof answer === 'function' ? answer() : answer
    }
    const plan = { ...PLAN, notifier: { send }, ...given }
    const own = killable(store, killed.signal)
    const means = {
      store: own,
      clock,
      log,
      metrics,
      redact: (text: string) => text.replaceAll('the-secret', '‹redacted›'),
      random: () => 1,
    }
    const channel = createChannel(plan, means)
    const running = channel.run(stopped.signal)
    const stop = async (): Promise<void> => {
      stopped.abort()
      await running
    }
    return { ...channel, stop, kill: () => killed.abort() }
  }
  const record = (row: DeathRecord): Promise<void> => store.deaths.record(row, [])
  const headlines = () => tried.map((notice) => buildText(notice).headline)
  const outcomes = (outcome: NoticeOutcome): number => {
    const series = new RegExp(`signalbox_notices_total{channel="chat",outcome="${outcome}"} (\\d+)`)
    return Number(series.exec(metrics.expose())?.[1])
  }
  return { store, clock, tried, logged, metrics, answers, start, pass, record, headlines, outcomes }
}

const PLAN: Omit<ChannelPlan, 'notifier'> = {
  name: 'chat',
  isWanted: ({ kind }: Death) => kind === 'death',
  outbox: {
    settleMs: 20_000,
    windowMs: 40_000,
    followUpMs: 300_000,
    rate: createRate(20, 3_600_000),
    isPerDeath: false,
    mostWaiting: 100,
  },
  isRemembered: true,
  isRepeatable: false,
  mostUnderWay: 1,
  mostAgeMs: 3_600_000,
}

export const PLAN_OUTBOX = PLAN.outbox

/** In a dead process no call returns or has an effect. */
function killable({ notices, deaths: postmortems }: Store, signal: AbortSignal): Pick<Store, 'notices' | 'deaths'> {
  const never = new Promise<never>(() => {})
  const unless = <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) => {
    return (...args: A): Promise<R> => (signal.aborted ? never : call(...args))
  }
  return {
    notices: {
      claim: unless(notices.claim),
      release: unless(notices.release),
      has: unless(notices.has),
      count: unless(notices.count),
    },
    deaths: { ...postmortems, list: unless(postmortems.list) },
  }
}
