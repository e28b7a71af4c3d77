import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { budgetSpent, isInOwnLog, registered } from '#/core/why/weighing/not-started.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const apiRateLimited: Cause = {
  id: 'api-rate-limited',
  kind: 'never-started',
  meaning: "the credential's API budget is spent",
  distinguishedBy: 'The refusal names a rate limit, and /rate_limit shows 0 remaining.',
  settledBy: ['logs', 'github/rate-limit', 'kubernetes/ephemeralrunners'],
  weigh: (d) => {
    const said = d.subjectClues('registration-rate-limited')
    // ARC registers a runner before it creates the pod; a pod that registers itself runs before it is refused.
    const known = said.some((fact) => isInOwnLog(fact, d)) ? registered(d) : d.ran
    return [
      ...supports(0.9, said),
      ...supports(0.8, d.ran.length === 0 ? d.fleetClues('registration-rate-limited') : []),
      ...supports(0.6, known.length === 0 ? budgetSpent(d) : []),
      ...supports(0.85, /rate limit/i.test(d.ephemeralRunner?.message ?? '') ? d.recordFact : null),
      ...contradicts(known),
      ...contradicts(d.kind === 'controller' ? d.ending.facts : []),
    ]
  },
  sentence: (d) => `${upper(thePod(d))} never registered: the API budget of its credential is spent.`,
  next: () => [
    'Wait for the reset time in /rate_limit. Replace a shared token with a GitHub App, and find what spends the budget (signalbox doctor).',
  ],
}
