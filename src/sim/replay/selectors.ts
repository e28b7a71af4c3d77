import { at, fieldsOf, textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'

type Test = (object: Fields) => boolean

/** What `labelSelector` and `fieldSelector` of a request choose; null for a selector that cannot be read. */
export function selection(query: URLSearchParams): Test | null {
  const tests = [
    ...parts(query.get('labelSelector')).map(labelTest),
    ...parts(query.get('fieldSelector')).map(fieldTest),
  ]
  if (tests.some((test) => test === null)) return null
  return (object) => tests.every((test) => test?.(object) === true)
}

/** Commas within brackets belong to a set. */
function parts(selector: string | null): readonly string[] {
  return (selector ?? '').split(/,(?![^(]*\))/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
}

function labelTest(part: string): Test | null {
  const set = /^([\w./-]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(part)
  if (set !== null) {
    const [, key = '', operator, list = ''] = set
    const values = new Set(list.split(',').map((value) => value.trim()))
    return (object) => values.has(labelOf(object, key) ?? '') === (operator === 'in')
  }
  const equal = /^([\w./-]+)\s*(!=|==?)\s*([\w.-]*)$/.exec(part)
  if (equal !== null) {
    const [, key = '', operator, value = ''] = equal
    return (object) => (labelOf(object, key) === value) === (operator !== '!=')
  }
  const key = /^(!?)([\w./-]+)$/.exec(part)
  if (key === null) return null
  return (object) => (labelOf(object, key[2] ?? '') === null) === (key[1] === '!')
}

function labelOf(object: Fields, key: string): string | null {
  const value = fieldsOf(at(object, 'metadata', 'labels'))[key]
  return typeof value === 'string' ? value : null
}

function fieldTest(part: string): Test | null {
  const found = /^([\w.]+)\s*(!=|==?)\s*(.*)$/.exec(part)
  if (found === null) return null
  const [, path = '', operator, value = ''] = found
  return (object) => ((textAt(object, ...path.split('.')) ?? '') === value) === (operator !== '!=')
}
