import { hasNoLimit, isLow, isSpent, rateBudgets } from './rate-budget.ts'
import type { RateBudget } from './rate-budget.ts'
import { needOwner, setNames } from './needs.ts'
import type { Need } from './needs.ts'
import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { describeOwner, parseLimitOwner, parseOwnerRemark } from '#/core/github/budget-owner.ts'
import type { BudgetOwner } from '#/core/github/budget-owner.ts'

const OWN_APP =
  'waiting for the reset helps only once: give the sets their own GitHub App (its rate limit is not shared with a person)'

/** What helps, by whose rate limit it is. */
export const BRIDGES: Readonly<Record<BudgetOwner, string>> = {
  person: OWN_APP,
  unknown: OWN_APP,
  workflow: OWN_APP,
  installation:
    'waiting for the reset helps only once: find what else uses this App and give that an App of its own, spread the sets over several Apps, or register them with the organisation instead of single repositories',
}

const SOURCE = 'github/rate-limit'

/** The credential that read the rate limit may be another than the fleet's. */
export function readBudgetOwner({ snapshot }: Fleet): BudgetOwner {
  const noted = parseOwnerRemark(snapshot.remarks?.get(SOURCE) ?? null)
  const { rateLimit } = snapshot.github
  if (noted !== 'unknown' || rateLimit.kind !== 'seen') return noted
  const core = rateBudgets(rateLimit.value).find(({ resource }) => resource === 'core')
  return core === undefined ? 'unknown' : parseLimitOwner(core.limit)
}

/** The needs whose sets may use up this rate limit: of the same kind, or of an unknown one. */
function sharers(owner: BudgetOwner, needs: readonly Need[]): readonly Need[] {
  if (owner === 'unknown') return needs
  return needs.filter((need) => [owner, 'unknown'].includes(needOwner(need)))
}

export function budgetFindings(fleet: Fleet, needs: readonly Need[]): readonly Finding[] {
  const { snapshot, now, thresholds } = fleet
  const { rateLimit } = snapshot.github
  if (rateLimit.kind !== 'seen' || hasNoLimit(rateLimit.value)) return []
  const budgets = rateBudgets(rateLimit.value)
  if (budgets.length === 0) return [blindFinding(SOURCE, 'the response contains no rate limit')]
  const owner = readBudgetOwner(fleet)
  const own = sharers(owner, needs)
  // All sets use other credentials: the rate limit of whoever collected says nothing about them.
  if (needs.length > 0 && own.length === 0) return []
  return budgets.flatMap((budget): readonly Finding[] => {
    const common = describeBudget(budget, owner, own)
    if (isSpent(budget, now)) return [{ ...common, class: 'rate-limited', severity: 'critical' }]
    return isLow(budget, now, thresholds.rateBudget)
      ? [{ ...common, class: 'rate-budget-low', severity: 'warning' }]
      : []
  })
}

function describeBudget(
  budget: RateBudget,
  owner: BudgetOwner,
  needs: readonly Need[],
): Omit<Finding, 'class' | 'severity'> {
  const { resource, remaining, limit } = budget
  return {
    subject: { kind: 'Credential', name: resource },
    evidence: [
      `${remaining} of ${limit} requests of ${resource} are left${printReset(budget)}`,
      `the rate limit that was read is ${describeOwner(owner)}`,
      ...needs.map((need) => `Secret ${need.namespace}/${need.name}, used by ${setNames(need)}, may share it`),
    ],
    hint: BRIDGES[owner],
    fields: {
      remaining,
      limit,
      budgetOwner: owner,
      secrets: needs.map(({ namespace, name }) => `${namespace}/${name}`),
      sets: needs.flatMap(({ sets }) => sets.map(({ namespace, name }) => `${namespace}/${name}`)),
    },
  }
}

function printReset({ resetsAt }: RateBudget): string {
  return resetsAt === null ? '' : `; it resets at ${new Date(resetsAt).toISOString()}`
}

/** Said even if all is well: the rate limit of one credential is no all-clear for another. */
export function budgetRemark(fleet: Fleet, needs: readonly Need[]): string | null {
  const { rateLimit } = fleet.snapshot.github
  if (rateLimit.kind !== 'seen') return null
  if (hasNoLimit(rateLimit.value)) return 'this GitHub has no rate limit'
  const owner = readBudgetOwner(fleet)
  const own = new Set(sharers(owner, needs))
  const unread = needs.filter((need) => !own.has(need)).map(({ namespace, name }) => `${namespace}/${name}`)
  const read = `it is ${describeOwner(owner)}`
  return unread.length === 0 ? read : `${read}; the rate limit of ${unread.join(', ')} was not read`
}
