import type { FindingSubject } from '#/core/audit/finding.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'

export function setSubject({ namespace, name }: ScaleSet): FindingSubject {
  return { kind: 'AutoscalingRunnerSet', namespace, name }
}

export type EnvValue =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  /** It comes from a Secret, a ConfigMap or a field. */
  | { readonly kind: 'elsewhere' }

/** Of duplicates the last one counts, as in the kubelet. An empty value counts as unset. */
export function readEnv(container: unknown, name: string): EnvValue {
  const entry = listAt(container, 'env').findLast((one) => textAt(one, 'name') === name)
  if (entry === undefined) return { kind: 'absent' }
  const text = textAt(entry, 'value')
  if (text !== null) return { kind: 'text', text }
  return typeof entry === 'object' && entry !== null && 'valueFrom' in entry
    ? { kind: 'elsewhere' }
    : { kind: 'absent' }
}

/** With container hooks every job runs in its own pod next to the runner's. */
export function usesContainerHooks(set: Pick<ScaleSet, 'template'>): boolean {
  return readEnv(templateRunner(set.template), 'ACTIONS_RUNNER_CONTAINER_HOOKS').kind !== 'absent'
}

/** Names the Helm values of the set: by its release, else by the set's own name. */
export function valuesName({ annotations, name }: ScaleSet): string {
  return `the values of ${textAt(annotations, 'meta.helm.sh/release-name') ?? name}`
}
