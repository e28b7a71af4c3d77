import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { refusedJobPods } from '#/core/why/job-pod.ts'
import { hasSucceeded } from '#/core/why/weighing/shared-facts.ts'
import { isInOwnLog, scheduledFacts } from '#/core/why/weighing/not-started.ts'
import { beyondWhole } from '#/core/why/quota-refusal.ts'
import type { TooMuch } from '#/core/why/quota-refusal.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const quotaExceeded: Cause = {
  id: 'quota-exceeded',
  kind: 'never-started',
  meaning: "the namespace's quota refused the pod",
  distinguishedBy: 'There is no pod: its owner could not create it. The event is on the owner and names the quota.',
  settledBy: ['kubernetes/events', 'kubernetes/ephemeralrunners', 'logs'],
  weigh: (d) => [
    ...supports(WEIGHT.decisive, ownRefusals(d)),
    ...supports(WEIGHT.decisive, refusedJobPods(d)),
    ...supports(
      0.9,
      d.ephemeralRunner !== null &&
        /exceeded quota|failed quota|insufficient quota|status unknown for quota/i.test(d.ephemeralRunner.message ?? '')
        ? d.recordFact
        : null,
    ),
    // The runner ran, of course: the refused pod is the one in which its steps were to run.
    ...contradicts(refusedJobPods(d).length > 0 ? hasSucceeded(d) : [...d.ran, ...scheduledFacts(d)]),
  ],
  sentence: (d) => {
    const quota = quotaName(d) ?? 'of the namespace'
    const [jobPod] = refusedJobPods(d)
    const refused =
      jobPod === undefined
        ? `${thePod(d)}${describeOwner(d)}`
        : `the pod ${jobPod.fields['pod']}, in which the job was to run,`
    return `${upper(refused)} could not be created: ${howRefused(d, quota)}.`
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

/** What a job prints may be about any pod. */
function ownRefusals(d: Dossier): readonly Fact[] {
  return d.subjectClues('quota-exceeded').filter(({ source }) => d.kind !== 'runner' || !isInOwnLog({ source }, d))
}

function refusals(d: Dossier): readonly Fact[] {
  return [...ownRefusals(d), ...refusedJobPods(d)]
}

function quotaName(d: Dossier): string | null {
  const [refusal] = refusals(d)
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
  const said = refusals(d)
    .map(({ fields: { lacks: missing } }) => missing)
    .find((missing) => missing !== undefined)
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
  const texts = [...refusals(d).map(({ text }) => text), d.ephemeralRunner?.message ?? '']
  return texts.map((text) => beyondWhole(text)).find((found) => found !== null) ?? null
}

/** The quota may not be used up: the API server did not know yet. */
function isUncounted(d: Dossier): boolean {
  const all = refusals(d)
  return all.length > 0 && all.every(({ fields: { why } }) => why !== undefined)
}
