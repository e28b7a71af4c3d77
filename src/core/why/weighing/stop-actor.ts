import { AUDIT_ADVICE, theContainer, thePod, upper } from '#/core/why/wording.ts'
import { supports } from '#/core/why/cause.ts'
import type { Point } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { sourceGroup } from '#/core/why/fact.ts'
import type { Fact } from '#/core/why/fact.ts'

/** How reliably each source shows a request for a graceful end. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'kubernetes/audit': 0.85,
  'kubernetes/events': 0.8,
  journal: 0.7,
  'kubernetes/pods': 0.6,
}

export function weighRequests(d: Dossier): readonly Point[] {
  return d.stopping.requests.flatMap(({ fact }) => supports(WEIGHTS[sourceGroup(fact)] ?? 0.5, fact))
}

/** The audit log names the user, the pod's condition and events name the controller; the kubelet only executes. */
export function findStopActor({ stopping: { requests: askers } }: Dossier): string | null {
  const named = askers.filter(({ by }) => by !== null)
  const audited = named.find(({ fact }) => sourceGroup(fact) === 'kubernetes/audit')
  const other = named.find(({ by }) => by !== 'kubelet')
  return (audited ?? other ?? named[0])?.by ?? null
}

function failedProbe({ stopping: { requests } }: Dossier): Fact | null {
  return requests.find(({ fact }) => fact.is === 'probe-failed')?.fact ?? null
}

function isByProbe(d: Dossier): boolean {
  return failedProbe(d) !== null && findStopActor(d) === 'kubelet'
}

/** Different policies block an eviction and a delete, and the evidence does not always show which it was. */
export function adviseOnStop(d: Dossier): string {
  const actor = findStopActor(d)
  if (isByProbe(d))
    return `Raise timeoutSeconds and failureThreshold of the ${probeKind(d)} probe of ${theContainer(d)}, or remove the probe: under a heavy job it answers late, and the kubelet then ends a working container.`
  return actor === null
    ? AUDIT_ADVICE
    : `Check why ${actor} ${d.working.had.length > 0 ? 'ended a working runner' : 'requested the end of this pod'}. A PodDisruptionBudget on working runners blocks evictions; a ValidatingAdmissionPolicy blocks deletes.`
}

function probeKind(d: Dossier): string {
  return failedProbe(d)?.fields['probe']?.toLowerCase() ?? 'liveness'
}

export function howStopped(d: Dossier): string {
  const actor = findStopActor(d)
  if (isByProbe(d)) return ` by the kubelet, because its ${probeKind(d)} probe failed,`
  return actor === null ? '' : ` by ${actor}`
}

/** The pod, or the container that was stopped alone. */
export function whatStopped(d: Dossier): string {
  return upper(d.ending.isOther ? theContainer(d) : thePod(d))
}
