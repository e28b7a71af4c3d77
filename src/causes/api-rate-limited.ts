import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { budgetSpent } from '#/core/why/not-started.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const apiRateLimited: Cause = {
  id: 'api-rate-limited',
  kind: 'never-started',
  meaning: "the credential's API budget is spent",
  distinguishedBy: 'The refusal names a rate limit, and /rate_limit shows 0 remaining.',
  settledBy: ['logs', 'github/rate-limit', 'kubernetes/ephemeralrunners'],
  weigh: (d) => [
    ...supports(0.9, d.subjectClues('registration-rate-limited')),
    ...supports(0.8, d.ran.length === 0 ? d.fleetClues('registration-rate-limited') : []),
    ...supports(0.6, d.ran.length === 0 ? budgetSpent(d) : []),
    ...supports(0.85, /rate limit/i.test(d.ephemeralRunner?.message ?? '') ? d.recordFact : null),
    ...contradicts(d.ran),
  ],
  sentence: (d) => `${upper(thePod(d))} never registered: the API budget of its credential is spent.`,
  next: () => [
    'Wait for the reset time in /rate_limit. Replace a shared token with a GitHub App, and find what spends the budget (signalbox doctor).',
  ],
}
