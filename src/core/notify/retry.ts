import { backoffMs } from '#/core/basics/backoff.ts'

/** The back-off of one lane of a channel: notices that fail for the same reason wait together. */
export type Lane = {
  readonly failures: number
  readonly notBefore: number
  /** Why nothing gets through until a person fixes something; null otherwise. */
  readonly paused: string | null
}

export const FREE_LANE: Lane = { failures: 0, notBefore: 0, paused: null }

const LATER = { firstMs: 1000, mostMs: 300_000 }
/** What a person has to fix is not fixed within seconds. */
const PAUSED = { firstMs: 60_000, mostMs: 3_600_000 }
/** A longer Retry-After is not honoured. */
const LONGEST_ASKED_MS = 3_600_000

export type Setback = {
  readonly paused: string | null
  /** When the service wants the next attempt. */
  readonly notBefore: number | null
  /** From 0 to 1, jitter, so that replicas and channels that fail together do not retry together. */
  readonly chance: number
}

export function laneAfter(lane: Lane, { paused, notBefore, chance }: Setback, now: number): Lane {
  const failures = (lane.paused === null) === (paused === null) ? lane.failures + 1 : 1
  const waitMs = backoffMs(paused === null ? LATER : PAUSED, failures - 1, chance)
  const asked = notBefore === null ? 0 : Math.min(notBefore, now + LONGEST_ASKED_MS)
  return { failures, notBefore: Math.max(asked, now + waitMs), paused }
}
