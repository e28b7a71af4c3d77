import { supports } from './cause.ts'
import type { Point } from './cause.ts'
import type { Dossier } from './dossier.ts'
import { sourceGroup } from './fact.ts'

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

/** Different policies block an eviction and a delete, and the evidence does not always show which it was. */
export function adviseOnStop(d: Dossier): string {
  const actor = findStopActor(d)
  return actor === null
    ? 'The audit log names the requester: enable it for deletes and evictions of pods, or connect it if it is on (docs/evidence.md, docs/install.md).'
    : `Check why ${actor} ${d.working.had.length > 0 ? 'ended a working runner' : 'requested the end of this pod'}. A PodDisruptionBudget on working runners blocks evictions; a ValidatingAdmissionPolicy blocks deletes.`
}

export function howStopped(d: Dossier): string {
  const actor = findStopActor(d)
  const probe = d.stopping.requests.find(({ fact }) => fact.is === 'probe-failed')
  if (probe !== undefined && actor === 'kubelet') return ' by the kubelet, because a probe failed'
  return actor === null ? '' : ` by ${actor}`
}
