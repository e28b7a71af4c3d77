import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { scheduledFacts } from '#/core/why/weighing/not-started.ts'
import { beyondWhole } from '#/core/why/quota-refusal.ts'
import type { TooMuch } from '#/core/why/quota-refusal.ts'
import { thePod, clueField, upper } from '#/core/why/wording.ts'

export const quotaExceeded: Cause = {
  id: 'quota-exceeded',
  kind: 'never-started',
  meaning: "the namespace's quota refused the pod",
  distinguishedBy: 'There is no pod: its owner could not create it. The event is on the owner and names the quota.',
  settledBy: ['kubernetes/events', 'kubernetes/ephemeralrunners', 'logs'],
  weigh: (d) => [
    ...supports(WEIGHT.decisive, d.subjectClues('quota-exceeded')),
    ...supports(
      0.9,
      d.ephemeralRunner !== null &&
        /exceeded quota|failed quota|insufficient quota|status unknown for quota/i.test(d.ephemeralRunner.message ?? '')
        ? d.recordFact
        : null,
    ),
    ...contradicts(d.ran),
    ...contradicts(scheduledFacts(d)),
  ],
  sentence: (d) => {
    const quota = quotaName(d) ?? 'of the namespace'
    return `${upper(thePod(d))}${describeOwner(d)} could not be created: ${howRefused(d, quota)}.`
  },
  next: (d) => {
    const quota = quotaName(d)
    const which = `the quota${quota === null ? '' : ` ${quota}`} in namespace ${d.subject.namespace ?? ''}`
    if (isUncounted(d))
      return [
        `Its owner retries. If ${which} still has no status, check the quota controller of kube-controller-manager.`,
      ]
    if (lacks(d) !== null)
      return [`Set what ${which} asks for (${lacks(d)}) in the pod template, or give it a default by a LimitRange.`]
    if (tooMuch(d) !== null)
      return [`Such a runner can never start there: raise ${which}, or lower the requests of the pod template.`]
    return [`Compare used and hard of ${which}: raise it, or lower the maximum of the scale set to fit.`]
  },
}

function quotaName(d: Dossier): string | null {
  const [refusal] = d.subjectClues('quota-exceeded')
  const { quota, unknown, failed } = refusal?.fields ?? {}
  return (
    quota ??
    unknown ??
    failed ??
    /failed quota: (?<name>[^:]+):/.exec(d.ephemeralRunner?.message ?? '')?.groups?.['name'] ??
    null
  )
}

/** A quota on limits refuses every container that sets none, however much of it is left. */
function lacks(d: Dossier): string | null {
  const said = clueField(d, 'quota-exceeded', 'lacks')
  return said ?? /must specify [^"]{1,300}/.exec(d.ephemeralRunner?.message ?? '')?.[0] ?? null
}

function howRefused(d: Dossier, quota: string): string {
  if (lacks(d) !== null) return `quota ${quota} refused it: it ${lacks(d)}`
  if (isUncounted(d)) return `quota ${quota} refused it because its usage was not counted yet`
  const beyond = tooMuch(d)
  if (beyond === null) return `quota ${quota} was used up`
  return `it alone requests ${beyond.resource}=${beyond.requested}, and the whole quota ${quota} is ${beyond.limited}`
}

/** ` of Job nightly`, from the event on the owner. */
function describeOwner({ events }: Dossier): string {
  const owner = events.find(({ reason, kind }) => reason === 'FailedCreate' && kind !== null && kind !== 'Pod')
  return owner === undefined || owner.name === null ? '' : ` of ${owner.kind} ${owner.name}`
}

function tooMuch(d: Dossier): TooMuch | null {
  const texts = [...d.subjectClues('quota-exceeded').map(({ text }) => text), d.ephemeralRunner?.message ?? '']
  return texts.map((text) => beyondWhole(text)).find((found) => found !== null) ?? null
}

/** The quota may not be used up: the API server did not know yet. */
function isUncounted(d: Dossier): boolean {
  const refusals = d.subjectClues('quota-exceeded')
  return refusals.length > 0 && refusals.every(({ fields: { why } }) => why !== undefined)
}
