import { WEIGHT, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { scheduledFacts } from '#/core/why/not-started.ts'
import { thePod, toldBy, upper } from '#/core/why/wording.ts'

export const quotaExceeded: Cause = {
  id: 'quota-exceeded',
  kind: 'never-started',
  meaning: "the namespace's quota refused the pod",
  toldApart: 'There is no pod at all: its owner could not make it. The event stands at the owner and names the quota.',
  settledBy: ['kubernetes/events', 'kubernetes/ephemeralrunners', 'logs'],
  weigh: (d) => [
    ...speaksFor(WEIGHT.decisive, d.told('quota-exceeded')),
    ...speaksFor(
      0.9,
      d.ephemeralRunner !== null && /exceeded quota/i.test(d.ephemeralRunner.message ?? '') ? d.recordFact : null,
    ),
    ...speaksAgainst(d.ran),
    ...speaksAgainst(scheduledFacts(d)),
  ],
  sentence: (d) =>
    `${upper(thePod(d))} could not be made: quota ${toldBy(d, 'quota-exceeded', 'quota') ?? 'of the namespace'} was used up.`,
  next: (d) => [
    `Compare used and hard of the quota${toldBy(d, 'quota-exceeded', 'quota') === null ? '' : ` ${toldBy(d, 'quota-exceeded', 'quota')}`} in namespace ${d.subject.namespace ?? ''}: raise it, or lower the maximum of the scale set to what it admits.`,
  ],
}
