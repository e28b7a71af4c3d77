import type { Assignments } from './assignments.ts'
import type { Breakers } from './breakers.ts'
import type { Deliveries } from './deliveries.ts'
import type { Findings } from './findings.ts'
import type { Ledger } from './ledger.ts'
import type { Notices } from './notices.ts'
import type { Deaths } from './deaths.ts'
import type { Retention } from './retention.ts'
import type { LivePods } from './live-pods.ts'
import type { Tokens } from './tokens.ts'
import type { Wakeups } from './wakeups.ts'

/**
 * The one store. PostgreSQL and the memory model implement it and are held to one contract suite.
 *
 * Time comes from the caller. A compare-and-set that finds another generation answers `stale`; that is an ordinary
 * outcome. A store that cannot be reached throws `StoreUnavailable`; whether the last write happened is then unknown,
 * and the caller reads again. A NUL or half of a surrogate pair in a text is stored as U+FFFD.
 */
export type Store = {
  readonly assignments: Assignments
  readonly deliveries: Deliveries
  readonly deaths: Deaths
  readonly livePods: LivePods
  readonly notices: Notices
  readonly ledger: Ledger
  readonly findings: Findings
  readonly breakers: Breakers
  readonly tokens: Tokens
  readonly retention: Retention
  readonly wakeups: Wakeups
}
