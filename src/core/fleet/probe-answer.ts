import type { Observed } from '#/core/basics/observed.ts'

/** The results of a probe pod, built like a runner of the set. */
export type ProbeAnswer = {
  /** All sets whose runners are built like this pod. */
  readonly sets: readonly { readonly namespace: string; readonly name: string }[]
  readonly pod: string
  /** Why it has no results, or null. */
  readonly trouble: string | null
  readonly targets: readonly ProbedTarget[]
  readonly bundles: readonly ProbedBundle[]
  /** The variables that were checked. */
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[]
}

export const REACH_RESULTS = ['reached', 'refused', 'timeout', 'unresolved', 'failed', 'unknown'] as const

export type ProbedTarget = {
  /** The variable that names it, or `service`. */
  readonly from: string
  readonly host: string
  readonly port: number
  /** `unknown`: the image has no tool to connect with. */
  readonly result: (typeof REACH_RESULTS)[number]
}

export const BUNDLE_RESULTS = ['readable', 'missing', 'unreadable', 'not-pem'] as const

export type ProbedBundle = {
  readonly variable: string
  readonly path: string
  readonly result: (typeof BUNDLE_RESULTS)[number]
}

/** The probe results for a set; null if it was not probed or its pod gave no results. */
export function answerAbout(
  answers: Observed<readonly ProbeAnswer[]> | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): ProbeAnswer | null {
  if (answers?.kind !== 'seen') return null
  return answers.value.find(({ sets }) => sets.some((set) => set.namespace === namespace && set.name === name)) ?? null
}
