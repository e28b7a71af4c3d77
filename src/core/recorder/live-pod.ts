import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'

/** The part of a pod's state that a restart needs: where it is, and whether it runs. */
export function significantState(pod: PodFacts): string {
  const runner = runnerCandidates(pod).flatMap(({ state, restarts }) => [state.kind, restarts])
  return JSON.stringify([pod.phase, pod.node, pod.deletedAt, ...runner])
}

export function isWorthSaving(before: PodFacts | null, after: PodFacts): boolean {
  return before === null || significantState(before) !== significantState(after)
}

export type Scope = { readonly namespaces: ReadonlySet<string> | null }

/** Live pods in namespaces that were just listed in full, and that the list does not have. */
export function goneMeanwhile<T extends { readonly uid: string; readonly namespace: string }>(
  livePods: readonly T[],
  present: ReadonlySet<string>,
  { namespaces }: Scope,
): readonly T[] {
  return livePods.filter(
    ({ uid, namespace }) => !present.has(uid) && (namespaces === null || namespaces.has(namespace)),
  )
}
