import { at, toFields, textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { labelSelector, selectorTerms } from '#/core/kubernetes/label-selector.ts'

type Test = (object: Fields) => boolean

/** What `labelSelector` and `fieldSelector` of a request choose; null for a selector that cannot be read. */
export function selection(query: URLSearchParams): Test | null {
  const isLabelled = labelSelector(query.get('labelSelector') ?? '')
  const tests = selectorTerms(query.get('fieldSelector') ?? '').map(fieldTest)
  if (isLabelled === null || tests.some((test) => test === null)) return null
  return (object) =>
    isLabelled(toFields(at(object, 'metadata', 'labels'))) && tests.every((test) => test?.(object) === true)
}

function fieldTest(part: string): Test | null {
  const found = /^([\w.]+)\s*(!=|==?)\s*(.*)$/.exec(part)
  if (found === null) return null
  const [, path = '', operator, value = ''] = found
  return (object) => ((textAt(object, ...path.split('.')) ?? '') === value) === (operator !== '!=')
}
