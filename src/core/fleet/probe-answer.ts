import type { Observed } from '#/core/basics/observed.ts'

/** What a pod of our own, made like a runner of the set, told. */
export type ProbeAnswer = {
  /** All sets whose runners are like this pod. */
  readonly sets: readonly { readonly namespace: string; readonly name: string }[]
  readonly pod: string
  /** Why it told nothing, or null. */
  readonly trouble: string | null
  readonly targets: readonly ProbedTarget[]
  readonly bundles: readonly ProbedBundle[]
  /** Those that were asked for. */
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[]
}

export const REACH_RESULTS = ['reached', 'refused', 'timeout', 'unresolved', 'failed', 'cannot-tell'] as const

export type ProbedTarget = {
  /** The variable that names it, or `service`. */
  readonly from: string
  readonly host: string
  readonly port: number
  /** `cannot-tell`: the image has nothing to ask with. */
  readonly result: (typeof REACH_RESULTS)[number]
}

export const BUNDLE_RESULTS = ['readable', 'missing', 'unreadable', 'not-pem'] as const

export type ProbedBundle = {
  readonly variable: string
  readonly path: string
  readonly result: (typeof BUNDLE_RESULTS)[number]
}

/** What was told of the runners of a set; null where none was asked, or its pod told nothing. */
export function answerAbout(
  answers: Observed<readonly ProbeAnswer[]> | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): ProbeAnswer | null {
  if (answers?.kind !== 'seen') return null
  return answers.value.find(({ sets }) => sets.some((set) => set.namespace === namespace && set.name === name)) ?? null
}
