import type { Clock } from '#/ports/clock.ts'
import { refusal } from '#/sim/github/render/answers.ts'
import type { Principal } from './credentials.ts'

const MINUTE = 60_000
const MESSAGE = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'

export type SecondaryRules = { readonly concurrent: number; readonly pointsPerMinute: number }
const SECONDARY_RULES: SecondaryRules = { concurrent: 100, pointsPerMinute: 900 }

export type Trip = {
  readonly times: number
  readonly status?: 403 | 429
  /** GitHub sends the header often, not always. */
  readonly retryAfterSeconds?: number | null
}

/** GitHub's protection against bursts: too many calls at once, or too many points on one endpoint in a minute. */
export type SecondaryLimit = {
  /** The call goes on when `refused` is null; `leave` must follow in either case. */
  readonly enter: (
    principal: Principal,
    method: string,
    path: string,
  ) => { readonly refused: Response | null; readonly leave: () => void }
  readonly set: (rules: Partial<SecondaryRules>) => void
  /** For tests: the next calls are refused, whatever the rules say. */
  readonly trip: (trip: Trip) => void
}

export function createSecondaryLimit(clock: Clock): SecondaryLimit {
  let rules = SECONDARY_RULES
  let tripped: Required<Trip> | null = null
  const inFlight = new Map<string, number>()
  const spent = new Map<string, readonly { readonly at: number; readonly points: number }[]>()

  const takesTrip = (): Response | null => {
    if (tripped === null) return null
    const { times, status, retryAfterSeconds } = tripped
    tripped = times > 1 ? { ...tripped, times: times - 1 } : null
    return refused(status, retryAfterSeconds)
  }
  const overPoints = (key: string, points: number): boolean => {
    const nowMs = clock.now()
    const recent = (spent.get(key) ?? []).filter((entry) => entry.at > nowMs - MINUTE)
    const total = recent.reduce((sum, entry) => sum + entry.points, points)
    spent.set(key, total > rules.pointsPerMinute ? recent : [...recent, { at: nowMs, points }])
    return total > rules.pointsPerMinute
  }

  return {
    enter: (principal, method, path) => {
      const now = (inFlight.get(principal.budget) ?? 0) + 1
      inFlight.set(principal.budget, now)
      const leave = (): void => {
        inFlight.set(principal.budget, (inFlight.get(principal.budget) ?? 1) - 1)
      }
      const trip = takesTrip()
      if (trip !== null) return { refused: trip, leave }
      const points = method === 'GET' ? 1 : 5
      const over = now > rules.concurrent || overPoints(`${principal.budget} ${method} ${path}`, points)
      return { refused: over ? refused(403, 60) : null, leave }
    },
    set: (change) => {
      rules = { ...rules, ...change }
    },
    trip: (trip) => {
      tripped = { status: 403, retryAfterSeconds: 60, ...trip }
    },
  }
}

function refused(status: 403 | 429, retryAfterSeconds: number | null): Response {
  return refusal(status, MESSAGE, retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) })
}
