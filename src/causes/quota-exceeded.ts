import { WEIGHT, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
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
      d.ephemeralRunner !== null && /exceeded quota|status unknown for quota/i.test(d.ephemeralRunner.message ?? '')
        ? d.recordFact
        : null,
    ),
    ...speaksAgainst(d.ran),
    ...speaksAgainst(scheduledFacts(d)),
  ],
  sentence: (d) => {
    const quota = toldBy(d, 'quota-exceeded', 'quota') ?? 'of the namespace'
    const how = isUncounted(d) ? 'refused it, because what is used of it was not counted yet' : 'was used up'
    return `${upper(thePod(d))} could not be made: quota ${quota} ${how}.`
  },
  next: (d) => {
    const quota = toldBy(d, 'quota-exceeded', 'quota')
    const which = `the quota${quota === null ? '' : ` ${quota}`} in namespace ${d.subject.namespace ?? ''}`
    return isUncounted(d)
      ? [
          `Its owner tries again by itself. If ${which} still has no status, look at the quota controller of kube-controller-manager.`,
        ]
      : [`Compare used and hard of ${which}: raise it, or lower the maximum of the scale set to what it admits.`]
  },
}

/** Nothing says that it was used up: the API server only could not know. */
function isUncounted(d: Dossier): boolean {
  const told = d.told('quota-exceeded')
  return told.length > 0 && told.every(({ told: { why } }) => why !== undefined)
}
