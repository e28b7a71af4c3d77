import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

export type StormResult = {
  readonly ended: number
  readonly stored: number
  readonly judged: number
  readonly rate: number
  readonly storedP50: number
  readonly storedP99: number
  readonly judgedP50: number
  readonly judgedP99: number
}

const PER_SECOND = 100
/** How finely the times are read off. */
const LOOK_MS = 50
const PATIENCE_MS = 180_000

/** Ends one after the other on a clock, and looks into the database when each is there. */
export async function storm(
  names: readonly string[],
  { end, pool }: { readonly end: (name: string) => Promise<void>; readonly pool: Pool },
): Promise<StormResult> {
  const endedAt = new Map<string, number>()
  const storedAt = new Map<string, number>()
  const judgedAt = new Map<string, number>()
  const over = new AbortController()
  const looking = (async () => {
    while (!over.signal.aborted) {
      const rows = await pool.query<{ pod: string; judged: boolean }>(
        'select pod, cause is not null as judged from postmortems',
      )
      const now = performance.now()
      for (const { pod, judged } of rows.rows) {
        if (!storedAt.has(pod)) storedAt.set(pod, now)
        if (judged && !judgedAt.has(pod)) judgedAt.set(pod, now)
      }
      await sleep(LOOK_MS)
    }
  })()
  const start = performance.now()
  const ends = names.map(async (name, index) => {
    await sleep(Math.max(0, start + (index * 1000) / PER_SECOND - performance.now()))
    await end(name)
    endedAt.set(name, performance.now())
  })
  await Promise.all(ends)
  const took = (performance.now() - start) / 1000
  const until = performance.now() + PATIENCE_MS
  while (judgedAt.size < names.length && performance.now() < until) await sleep(LOOK_MS)
  over.abort()
  await looking
  return {
    ended: endedAt.size,
    stored: storedAt.size,
    judged: judgedAt.size,
    rate: names.length / took,
    ...quantiles('stored', endedAt, storedAt),
    ...quantiles('judged', endedAt, judgedAt),
  } as StormResult
}

function quantiles(
  what: string,
  from: ReadonlyMap<string, number>,
  to: ReadonlyMap<string, number>,
): Readonly<Record<string, number>> {
  const times = [...from].flatMap(([name, at]) => {
    const there = to.get(name)
    return there === undefined ? [] : [there - at]
  })
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)
  return { [`${what}P50`]: quantile(0.5), [`${what}P99`]: quantile(0.99) }
}
