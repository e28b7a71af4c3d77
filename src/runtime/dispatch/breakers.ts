import { breakerState, NEW_BREAKER, nextBreaker } from '#/core/dispatch/breaker.ts'
import type { BreakerEvent } from '#/core/dispatch/breaker.ts'
import type { Clock } from '#/ports/clock.ts'
import type { BreakerRow, Breakers } from '#/ports/store/breakers.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import type { BreakerGate, OpenBreaker } from './breaker-gate.ts'

export type StoredBreakers = BreakerGate & {
  readonly list: () => Promise<readonly BreakerRow[]>
  /** False: there is no such breaker, or it was closed. */
  readonly reset: (key: string) => Promise<boolean>
}

export type BreakerMeans = {
  readonly breakers: Breakers
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Metrics
}

/** Another replica's change is seen after at most this long. */
const CACHED_MS = 1_000
/** A handful of replicas can meet on one breaker. */
const MAX_TRIES = 10

/** The breakers over the rows of the store, which all replicas share. */
export function storedBreakers({ breakers, clock, metrics }: BreakerMeans): StoredBreakers {
  const show = breakerMetrics(metrics)
  let cached: { readonly at: number; readonly rows: Promise<readonly BreakerRow[]> } | null = null
  const list = async (): Promise<readonly BreakerRow[]> => {
    const rows = await breakers.list()
    show.rows(rows, clock.now())
    return rows
  }
  const cachedList = async (): Promise<readonly BreakerRow[]> => {
    const now = clock.now()
    if (cached === null || now - cached.at >= CACHED_MS) {
      const rows = list()
      cached = { at: now, rows }
      // What failed is asked again by whoever comes next.
      rows.catch(() => (cached = null))
    }
    return await cached.rows
  }
  /** Whether this call made the change. */
  const apply = async (key: string, event: BreakerEvent): Promise<boolean> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const row = (await breakers.get(key)) ?? { key, generation: 0, ...NEW_BREAKER }
      const next = nextBreaker(row, event)
      if (next === null) return false
      if ((await breakers.put({ key, generation: row.generation, ...next })) === 'stale') continue
      cached = null
      show.changed(key, event.kind)
      return true
    }
    return false
  }
  return {
    list,
    isOpen: async (key) => {
      const now = clock.now()
      const row = (await cachedList()).find((one) => one.key === key)
      if (row === undefined || breakerState(row, now) === 'closed') return null
      if (breakerState(row, now) === 'half-open' && (await apply(key, { kind: 'probed', at: now }))) return null
      return toOpen(row)
    },
    open: async () => {
      const now = clock.now()
      return (await cachedList()).flatMap((row) => {
        const state = breakerState(row, now)
        if (state === 'closed') return []
        return state === 'open' ? [toOpen(row)] : [{ ...toOpen(row), mayTry: true as const }]
      })
    },
    failed: async (key, why, until) => {
      await apply(key, { kind: 'failed', at: clock.now(), why, until: until ?? null })
    },
    succeeded: async (key) => {
      // Nearly all successes find their breaker closed, which costs no write and no read of its row.
      const row = (await cachedList()).find((one) => one.key === key)
      if (row !== undefined && row.failures > 0) await apply(key, { kind: 'succeeded', at: clock.now() })
    },
    reset: async (key) => await apply(key, { kind: 'reset', at: clock.now() }),
  }
}

function toOpen({ key, why, openUntil }: BreakerRow): OpenBreaker {
  return { key, why: why ?? 'it keeps failing', until: openUntil ?? 0 }
}

/** By kind, not by key: there may be a thousand repositories. */
function breakerMetrics(metrics: Metrics) {
  const open = metrics.gauge('signalbox_breakers_open', 'Breakers that stop something now, by what they are for.')
  const changes = metrics.counter('signalbox_breaker_events_total', 'What happened to breakers, by what they are for.')
  const kinds = ['credential', 'owner', 'repository', 'node']
  for (const kind of kinds) open.set(0, { kind })
  return {
    rows: (rows: readonly BreakerRow[], now: number): void => {
      const stopping = rows.filter((row) => breakerState(row, now) !== 'closed')
      for (const kind of kinds) open.set(stopping.filter(({ key }) => kindOf(key) === kind).length, { kind })
    },
    changed: (key: string, event: BreakerEvent['kind']): void => changes.add(1, { kind: kindOf(key), event }),
  }
}

function kindOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf('/')))
}
