import type { FindingSubject } from '#/core/audit/finding.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'

export function subjectOf({ namespace, name }: ScaleSet): FindingSubject {
  return { kind: 'AutoscalingRunnerSet', namespace, name }
}

export type EnvValue =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  /** It comes from a Secret, a ConfigMap or a field. */
  | { readonly kind: 'elsewhere' }

/** The last of several counts, as the kubelet has it. An empty value is like none. */
export function envOf(container: unknown, name: string): EnvValue {
  const entry = listAt(container, 'env').findLast((one) => textAt(one, 'name') === name)
  if (entry === undefined) return { kind: 'absent' }
  const text = textAt(entry, 'value')
  if (text !== null) return { kind: 'text', text }
  return typeof entry === 'object' && entry !== null && 'valueFrom' in entry
    ? { kind: 'elsewhere' }
    : { kind: 'absent' }
}

/** Hooks start every job as a pod of its own beside the runner's. */
export function usesContainerHooks(set: Pick<ScaleSet, 'template'>): boolean {
  return envOf(templateRunner(set.template), 'ACTIONS_RUNNER_CONTAINER_HOOKS').kind !== 'absent'
}

/** Where the values of the set are: the release that Helm made it with, else its own name. */
export function valuesOf({ annotations, name }: ScaleSet): string {
  return `the values of ${textAt(annotations, 'meta.helm.sh/release-name') ?? name}`
}
