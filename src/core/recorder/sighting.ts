import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'

/** What of a pod is worth remembering over a restart of ours: where it is and how far its life has come. */
export function significantState(pod: PodFacts): string {
  const runner = runnerCandidates(pod).flatMap(({ state, restarts }) => [state.kind, restarts])
  return JSON.stringify([pod.phase, pod.node, pod.deletedAt, ...runner])
}

export function isWorthSighting(before: PodFacts | null, after: PodFacts): boolean {
  return before === null || significantState(before) !== significantState(after)
}

export type Scope = { readonly namespaces: ReadonlySet<string> | null }

/** Those that were known to live, are in a place that was just listed whole, and are not there any more. */
export function goneMeanwhile<T extends { readonly uid: string; readonly namespace: string }>(
  sightings: readonly T[],
  present: ReadonlySet<string>,
  { namespaces }: Scope,
): readonly T[] {
  return sightings.filter(
    ({ uid, namespace }) => !present.has(uid) && (namespaces === null || namespaces.has(namespace)),
  )
}
