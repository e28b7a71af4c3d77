import type { Fields } from '#/core/basics/fields.ts'

/** `key`, `!key`, `key=value`, `key!=value`, `key in (a, b)`, `key notin (a, b)`, with commas between. */
export function selects(selector: string, labels: Fields): boolean {
  const terms = selector.split(/,(?![^(]*\))/).map((term) => term.trim())
  return terms.every((term) => term === '' || fits(term, labels))
}

const SET = /^(?<key>\S+)\s+(?<verb>in|notin)\s*\((?<values>[^)]*)\)$/
const EQUAL = /^(?<key>[^\s=!]+)\s*(?<verb>==|=|!=)\s*(?<value>\S*)$/

function fits(term: string, labels: Fields): boolean {
  const set = SET.exec(term)?.groups
  if (set !== undefined) {
    const values = (set['values'] ?? '').split(',').map((value) => value.trim())
    return values.includes(String(labels[set['key'] ?? ''])) === (set['verb'] === 'in')
  }
  const equal = EQUAL.exec(term)?.groups
  if (equal !== undefined) return (labels[equal['key'] ?? ''] === equal['value']) === (equal['verb'] !== '!=')
  return term.startsWith('!') ? labels[term.slice(1).trim()] === undefined : labels[term] !== undefined
}
