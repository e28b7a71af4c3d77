import { listAt } from '#/core/basics/fields.ts'

/** Namespaces that a binding guards, as it is in the cluster, and that nobody named. */
export function findOtherPlaces(binding: unknown, named: readonly string[]): readonly string[] {
  const rules = listAt(binding, 'spec', 'matchResources', 'namespaceSelector', 'matchExpressions')
  const guarded = rules.flatMap((rule) => listAt(rule, 'values')).filter((value) => typeof value === 'string')
  return [...new Set(guarded)].filter((place) => !named.includes(place)).toSorted()
}
