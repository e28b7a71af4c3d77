import type { Fields } from '#/core/basics/fields.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'

/** Whether labels are selected. */
export type LabelTest = (labels: Fields) => boolean

/**
 * `key`, `!key`, `key=value`, `key!=value`, `key in (a, b)`, `key notin (a, b)`, with commas between. Null where it is no
 * selector.
 */
export function labelSelector(text: string): LabelTest | null {
  const tests = selectorTerms(text).map(termTest)
  const known = tests.filter((test) => test !== null)
  return known.length < tests.length ? null : (labels) => known.every((test) => test(labels))
}

/** One that cannot be read selects nothing. */
export function selects(selector: string, labels: Fields): boolean {
  return labelSelector(selector)?.(labels) ?? false
}

/** Commas within brackets belong to a set. */
export function selectorTerms(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/).flatMap((term) => (term.trim() === '' ? [] : [term.trim()]))
}

const SET = /^(?<key>[\w./-]+)\s+(?<verb>in|notin)\s*\((?<values>[^)]*)\)$/
const EQUAL = /^(?<key>[\w./-]+)\s*(?<verb>==|=|!=)\s*(?<value>[\w.-]*)$/
const KEY = /^(?<not>!?)\s*(?<key>[\w./-]+)$/

function termTest(term: string): LabelTest | null {
  const set = SET.exec(term)?.groups
  if (set !== undefined) {
    const values = new Set<unknown>((set['values'] ?? '').split(',').map((value) => value.trim()))
    return (labels) => values.has(labelValue(labels, set['key'])) === (set['verb'] === 'in')
  }
  const equal = EQUAL.exec(term)?.groups
  if (equal !== undefined)
    return (labels) => (labelValue(labels, equal['key']) === equal['value']) === (equal['verb'] !== '!=')
  const key = KEY.exec(term)?.groups
  return key === undefined ? null : (labels) => (labelValue(labels, key['key']) === undefined) === (key['not'] === '!')
}

function labelValue(labels: Fields, key: string | undefined): unknown {
  return key !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
}

/** Of `matchExpressions`; `Gt` and `Lt` are for nodes only. */
export function meetsExpression(expression: unknown, labels: Fields): boolean {
  const value = labelValue(labels, textAt(expression, 'key') ?? '')
  const values = listAt(expression, 'values')
  switch (textAt(expression, 'operator')) {
    case 'In':
      return values.includes(value)
    case 'NotIn':
      return !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0])
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0])
    default:
      return false
  }
}
