import type { Fields } from '#/core/basics/fields.ts'
import { at, numberAt, textAt } from '#/core/basics/fields.ts'

export type RateBudget = {
  readonly resource: string
  readonly limit: number
  readonly remaining: number
  /** Milliseconds since the epoch. */
  readonly resetsAt: number | null
}

/** The rate limits that listeners and the controller use. */
const RESOURCES = ['core', 'actions_runner_registration'] as const

export function rateBudgets(document: Fields): readonly RateBudget[] {
  return RESOURCES.flatMap((resource) => {
    const own = at(document, 'resources', resource) ?? (resource === 'core' ? at(document, 'rate') : null)
    const limit = numberAt(own, 'limit')
    const remaining = numberAt(own, 'remaining')
    const reset = numberAt(own, 'reset')
    if (limit === null || remaining === null || limit <= 0) return []
    return [{ resource, limit, remaining, resetsAt: toMilliseconds(reset) }]
  })
}

/** GitHub Enterprise Server has no rate limit unless its administrator sets one. */
export function hasNoLimit(document: Fields): boolean {
  return /rate limiting is not enabled/i.test(textAt(document, 'message') ?? '')
}

/** The last time that a Date can hold. */
const LAST_MOMENT = 8.64e15

function toMilliseconds(seconds: number | null): number | null {
  return seconds === null || Math.abs(seconds * 1000) > LAST_MOMENT ? null : seconds * 1000
}

/** A rate limit past its reset time is full again. */
export function isSpent({ remaining, resetsAt }: RateBudget, now: number): boolean {
  return remaining <= 0 && !isRenewed(resetsAt, now)
}

export function isLow({ remaining, limit, resetsAt }: RateBudget, now: number, share: number): boolean {
  return remaining > 0 && remaining / limit < share && !isRenewed(resetsAt, now)
}

function isRenewed(resetsAt: number | null, now: number): boolean {
  return resetsAt !== null && resetsAt <= now
}
