import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { ok, skip, warn } from '#/cli/doctor/check.ts'
import { ANY_OWNER } from '#/cli/doctor/github.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { Budget } from '#/ports/github.ts'

const LOW_SHARE = 0.1

export const githubBudget: Check = {
  id: 'github-budget',
  title: 'GitHub rate limit',
  check: async ({ github, config, clock, signal, githubIdentity }) => {
    if (github === null || (await githubIdentity()).kind !== 'seen') return skip('cannot reach GitHub')
    const { owners, credential } = config.github
    const asked = owners.length === 0 && credential.kind === 'token' ? [ANY_OWNER] : owners
    if (asked.length === 0) return skip('no owner: use --owner, or set github.owners')
    const answers = await Promise.all(asked.map((owner) => github.access.rateLimits(owner, { signal })))
    const blind = answers.find((answer) => answer.kind === 'blind')
    if (blind?.kind === 'blind') {
      return warn(blind.reason.detail, {
        cost: 'The number of remaining requests is not known.',
        fix: 'Install the App for the owner, or check the name of the owner.',
      })
    }
    return judgeBudgets(
      answers.flatMap((answer) => (answer.kind === 'seen' ? answer.value : [])),
      clock.now(),
    )
  },
}

export function judgeBudgets(budgets: readonly Budget[], now: number): CheckResult {
  const core = budgets.filter(({ resource }) => resource === 'core')
  if (core.length === 0) return ok('none: this GitHub server has no rate limits')
  const [least] = core.toSorted((a, b) => a.remaining / a.limit - b.remaining / b.limit)
  if (least === undefined) return skip('GitHub reports no rate limit')
  const { credential, remaining, limit, resetAt } = least
  const detail = `${credential}: ${remaining} of ${limit} requests left, resets in ${formatDuration(Math.max(0, resetAt - now))}`
  if (remaining > limit * LOW_SHARE) return ok(detail)
  return warn(detail, {
    cost: 'Signalbox cannot read GitHub until the rate limit resets.',
    fix: 'Find out who else uses the credential, or use a separate App for signalbox.',
  })
}
