import type { Clock } from '#/ports/clock.ts'
import { refusal } from '#/sim/github/render/answers.ts'
import type { Principal } from './credentials.ts'

const HOUR_SECONDS = 3_600
const PRIMARY_LIMIT = 5_000
const ANONYMOUS_LIMIT = 60

export type Budget = { readonly limit: number; readonly used: number; readonly resetSeconds: number }

/** The primary limit: so many calls an hour for each installation, user or app. */
export type RateLimit = {
  /** `installation:12`, `user:octocat`, `app:7` or `anonymous`. */
  readonly budget: (key: string) => Budget
  /** `null` when the call may go on. */
  readonly refuse: (principal: Principal) => Response | null
  readonly charge: (principal: Principal) => void
  readonly headers: (principal: Principal) => Readonly<Record<string, string>>
  /** For tests. The hour that runs keeps its end. */
  readonly set: (key: string, change: { readonly limit?: number; readonly remaining?: number }) => void
  /** GitHub answers an empty budget by 403 or by 429. */
  readonly answerWith: (status: 403 | 429) => void
  /** An enterprise server has no limits unless its administrator sets them. */
  readonly disable: () => void
  readonly enabled: () => boolean
}

export function createRateLimit(clock: Clock): RateLimit {
  const budgets = new Map<string, Budget>()
  let status: 403 | 429 = 403
  let enabled = true

  const budget = (key: string): Budget => {
    const nowSeconds = Math.floor(clock.now() / 1_000)
    const held = budgets.get(key)
    if (held !== undefined && held.resetSeconds > nowSeconds) return held
    const limit = held?.limit ?? (key === 'anonymous' ? ANONYMOUS_LIMIT : PRIMARY_LIMIT)
    const fresh: Budget = { limit, used: 0, resetSeconds: nowSeconds + HOUR_SECONDS }
    budgets.set(key, fresh)
    return fresh
  }

  return {
    budget,
    refuse: (principal) => {
      const held = budget(principal.budget)
      if (!enabled || held.used < held.limit) return null
      const whom = principal.budget.replace(':', ' ID ')
      return refusal(status, `API rate limit exceeded for ${whom}.`, budgetHeaders(held))
    },
    charge: (principal) => {
      const held = budget(principal.budget)
      budgets.set(principal.budget, { ...held, used: held.used + 1 })
    },
    headers: (principal) => (enabled ? budgetHeaders(budget(principal.budget)) : {}),
    set: (key, change) => {
      const held = budget(key)
      const limit = change.limit ?? held.limit
      const used = change.remaining === undefined ? held.used : limit - change.remaining
      budgets.set(key, { ...held, limit, used })
    },
    answerWith: (next) => {
      status = next
    },
    disable: () => {
      enabled = false
    },
    enabled: () => enabled,
  }
}

function budgetHeaders(budget: Budget): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': String(budget.limit),
    'x-ratelimit-remaining': String(Math.max(0, budget.limit - budget.used)),
    'x-ratelimit-used': String(budget.used),
    'x-ratelimit-reset': String(budget.resetSeconds),
    'x-ratelimit-resource': 'core',
  }
}
