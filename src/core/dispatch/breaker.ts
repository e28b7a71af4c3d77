import { backoffMs } from '#/core/basics/backoff.ts'

/**
 * A stop for a credential, an owner, a repository or a node that keeps failing.
 *
 *   closed ─failures─> open ─time─> half-open ─one attempt─> open, for twice as long
 *      ^                               │
 *      └────────── a success ──────────┘          a reset closes it from anywhere
 *
 * Only the count and the time are kept: which of the three it is follows from the time.
 */
export type Breaker = {
  /** Since the last success. */
  readonly failures: number
  readonly openUntil: number | null
  readonly why: string | null
  readonly changedAt: number
}

export type BreakerState = 'closed' | 'open' | 'half-open'

export const NEW_BREAKER: Breaker = { failures: 0, openUntil: null, why: null, changedAt: 0 }

/** The first failures may be chance; a node, a repository or a credential that is broken gets here in seconds. */
export const FAILURES_TO_OPEN = 3
const PAUSE = { firstMs: 30_000, mostMs: 15 * 60_000 }
/** How long the one attempt of a half-open breaker may take, before somebody else may try. */
export const PROBE_MS = 20_000
/** No more of the text of an error is kept. */
const LONGEST_WHY = 500

export function breakerState({ openUntil }: Breaker, now: number): BreakerState {
  if (openUntil === null) return 'closed'
  return now < openUntil ? 'open' : 'half-open'
}

export type BreakerEvent =
  /** `until`: the other side said when it will take the next request. */
  | { readonly kind: 'failed'; readonly at: number; readonly why: string; readonly until: number | null }
  | { readonly kind: 'succeeded'; readonly at: number }
  /** Somebody is about to make the one attempt of a half-open breaker. */
  | { readonly kind: 'probed'; readonly at: number }
  | { readonly kind: 'reset'; readonly at: number }

/** The breaker after the event, or null if the event changes nothing. */
export function nextBreaker(breaker: Breaker, event: BreakerEvent): Breaker | null {
  const { at } = event
  switch (event.kind) {
    case 'failed':
      return failed(breaker, event)
    case 'probed':
      return breakerState(breaker, at) === 'half-open' ? { ...breaker, openUntil: at + PROBE_MS, changedAt: at } : null
    case 'succeeded':
    case 'reset':
      return breaker.failures === 0 && breaker.openUntil === null ? null : { ...NEW_BREAKER, changedAt: at }
  }
}

function failed(breaker: Breaker, { at, why, until }: Extract<BreakerEvent, { kind: 'failed' }>): Breaker | null {
  const { failures, openUntil } = breaker
  const text = why.slice(0, LONGEST_WHY)
  if (breakerState(breaker, at) === 'open' && !isProbe(breaker)) {
    // It began before the breaker opened: many that fail together are one failure. Only what GitHub says makes it longer.
    return until === null || openUntil === null || until <= openUntil
      ? null
      : { ...breaker, openUntil: until, why: text }
  }
  const pausedUntil = failures + 1 < FAILURES_TO_OPEN ? null : at + backoffMs(PAUSE, failures + 1 - FAILURES_TO_OPEN)
  const latest = until === null ? pausedUntil : Math.max(until, pausedUntil ?? 0)
  return { failures: failures + 1, openUntil: latest, why: text, changedAt: at }
}

/** No other pause is as short. */
function isProbe({ openUntil, changedAt }: Breaker): boolean {
  return openUntil === changedAt + PROBE_MS
}
