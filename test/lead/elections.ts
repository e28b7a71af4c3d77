import type { Clock } from '#/ports/clock.ts'
import type { Log, LogFields } from '#/ports/log.ts'
import type { FormerTerm, Leadership, Loss, Term } from '#/ports/store/leadership.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { lead } from '#/runtime/lead/lead.ts'
import { createLeadStatus } from '#/runtime/lead/lead-status.ts'
import type { LeaderLoop } from '#/runtime/lead/loop.ts'

export const UNREACHABLE: Loss = { kind: 'unreachable', why: 'no answer' }

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

export async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; turns < 100_000; turns += 1) {
    if (condition()) return
    await turn()
  }
  throw new Error('never became true')
}

/** Whatever may still happen has happened. */
export async function settle(): Promise<void> {
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

/** A leader whose elections and time a test decides. */
export function startLead(loops: readonly LeaderLoop[]) {
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
