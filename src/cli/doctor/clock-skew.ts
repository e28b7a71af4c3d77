import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { ok, skip, warn } from '#/cli/doctor/check.ts'
import { formatDuration } from '#/core/basics/duration.ts'

/** GitHub refuses an App token dated more than a minute ahead; half of that leaves room. */
const MOST_SKEW_MS = 30_000

export const clockSkew: Check = {
  id: 'clock-skew',
  title: 'Clock',
  check: async ({ github, githubIdentity }) => {
    await githubIdentity()
    return judgeSkew(github?.access.clockSkewMs() ?? null)
  },
}

export function judgeSkew(aheadMs: number | null): CheckResult {
  if (aheadMs === null) return skip('no other clock to compare with: GitHub did not answer')
  const seconds = Math.round(Math.abs(aheadMs) / 1000) * 1000
  const detail = `GitHub's clock is ${formatDuration(seconds)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this one`
  if (Math.abs(aheadMs) <= MOST_SKEW_MS) return ok(detail)
  return warn(detail, {
    cost: 'GitHub and cluster events are ordered wrongly, and App tokens may be refused.',
    fix: 'Synchronise the clock of this machine (NTP).',
  })
}
