import type { HttpHeaders } from '#/adapters/http/exchange.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Budget } from '#/ports/github.ts'
import { readHeader, LONGEST_WAIT_MS, toNumber } from './reply-meaning.ts'

/** What one credential may still spend, and how many of its requests are under way. */
export type Meter = {
  /** Waits for a free place and, up to the patience, for a limit that holds the credential back. */
  readonly enter: (resource: string, patienceMs: number, signal: AbortSignal) => Promise<Entry>
  readonly note: (headers: HttpHeaders) => void
  readonly set: (budgets: readonly Figures[]) => void
  /** A secondary limit: nothing of this credential before then. */
  readonly hold: (until: number) => void
  /** Secondary limits in a row. */
  readonly strikes: () => number
  readonly relieve: () => void
  readonly budgets: () => readonly Budget[]
}

export type Entry =
  | { readonly kind: 'entered'; readonly leave: () => void }
  | { readonly kind: 'held'; readonly until: number }
  | { readonly kind: 'stopped' }

export type Figures = Pick<Budget, 'resource' | 'limit' | 'remaining' | 'resetAt'>

export function createMeter(clock: Clock, credential: string, concurrent: number): Meter {
  const known = new Map<string, Figures & { readonly source: Budget['source'] }>()
  const places = createPlaces(concurrent)
  let heldUntil = 0
  let strikes = 0

  const blockedUntil = (resource: string): number => {
    const figures = known.get(resource)
    const spent = figures !== undefined && figures.remaining === 0 ? figures.resetAt : 0
    return Math.max(heldUntil, spent)
  }
  const keep = (figures: Figures, source: Budget['source']): void => {
    if (known.has(figures.resource) || known.size < MOST_RESOURCES) known.set(figures.resource, { ...figures, source })
  }

  return {
    enter: async (resource, patienceMs, signal) => {
      const deadline = clock.now() + patienceMs
      for (;;) {
        const until = blockedUntil(resource)
        if (until > deadline) return { kind: 'held', until }
        if (until > clock.now()) await clock.sleep(until - clock.now(), signal)
        else if (await places.take(signal)) {
          // A limit may have come while we stood in the queue.
          if (blockedUntil(resource) <= clock.now()) return { kind: 'entered', leave: once(places.leave) }
          places.leave()
        }
        if (signal.aborted) return { kind: 'stopped' }
      }
    },
    note: (headers) => {
      const figures = readFigures(headers, clock.now())
      const last = figures === null ? undefined : known.get(figures.resource)
      if (figures === null || (last !== undefined && figures.resetAt < last.resetAt)) return
      // Answers overtake each other: within one window the lowest count is the newest.
      const remaining =
        figures.resetAt === last?.resetAt ? Math.min(figures.remaining, last.remaining) : figures.remaining
      keep({ ...figures, remaining }, 'headers')
    },
    set: (budgets) => {
      for (const figures of budgets) keep(figures, 'rate-limit')
    },
    hold: (until) => {
      // Requests in flight with the first one get the same answer: count one strike.
      if (clock.now() >= heldUntil) strikes += 1
      heldUntil = Math.max(heldUntil, until)
    },
    strikes: () => strikes,
    relieve: () => {
      if (clock.now() >= heldUntil) strikes = 0
    },
    budgets: () => {
      const held = heldUntil > clock.now() ? heldUntil : null
      return [...known.values()].map((figures) => Object.assign({ credential, heldUntil: held }, figures))
    },
  }
}

/** GitHub has about fifteen; the name comes from a header. */
const MOST_RESOURCES = 32

function readFigures(headers: HttpHeaders, now: number): Figures | null {
  const limit = toNumber(readHeader(headers, 'x-ratelimit-limit'))
  const remaining = toNumber(readHeader(headers, 'x-ratelimit-remaining'))
  const reset = toNumber(readHeader(headers, 'x-ratelimit-reset'))
  if (limit === null || remaining === null || reset === null) return null
  const resource = readHeader(headers, 'x-ratelimit-resource') ?? 'core'
  return { resource, limit, remaining, resetAt: Math.min(reset * 1000, now + LONGEST_WAIT_MS) }
}

type Places = { readonly take: (signal: AbortSignal) => Promise<boolean>; readonly leave: () => void }

function createPlaces(count: number): Places {
  let free = count
  const waiting: (() => void)[] = []
  return {
    take: async (signal) => {
      if (signal.aborted) return false
      if (free > 0) {
        free -= 1
        return true
      }
      return new Promise((resolve) => {
        const admit = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(true)
        }
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(admit), 1)
          resolve(false)
        }
        waiting.push(admit)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
    leave: () => {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    },
  }
}

function once(act: () => void): () => void {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}
