import { TomlFault } from './toml-cursor.ts'
import type { TomlCursor } from './toml-cursor.ts'
import { timeForm } from './time-form.ts'
import type { TomlValue } from './toml-value.ts'

const WORD = /[\w+.:-]+/y
/** The time behind a date may be parted from it by a space. */
const SPACED_TIME = / \d\d:[\w+.:-]*/y

const DECIMAL = /^[+-]?(?:0|[1-9](?:_?\d)*)$/
const BASED = /^0(?:x[\dA-Fa-f](?:_?[\dA-Fa-f])*|o[0-7](?:_?[0-7])*|b[01](?:_?[01])*)$/
const FLOAT = /^[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?$/
const ENDLESS = /^[+-]?(?:inf|nan)$/
const LARGEST = 2n ** 63n - 1n
const SMALLEST = -(2n ** 63n)

/** A number, a date, a time, or true and false. */
export function readScalar(cursor: TomlCursor): TomlValue {
  const at = cursor.at
  const word = cursor.take(WORD)
  if (word === null) throw cursor.fault(`a value is missing: there is ${cursor.named()}`)
  if (word === 'true' || word === 'false') return { kind: 'flag', at, value: word === 'true' }
  if (/^(?:\d{4}-\d\d-\d\d|\d\d:)/.test(word)) {
    const whole = word.length === 'yyyy-mm-dd'.length ? word + (cursor.take(SPACED_TIME) ?? '') : word
    const form = timeForm(whole)
    if (form === null) throw new TomlFault(at, 'this is no date or time like 2026-06-06T21:40:00Z')
    return { kind: 'time', at, form, value: whole }
  }
  return readNumber(word, at)
}

function readNumber(word: string, at: number): TomlValue {
  const plain = word.replaceAll('_', '')
  if (DECIMAL.test(word) || BASED.test(word)) {
    // BigInt takes time with the square of the digits; no number of 64 bits has as many as this.
    const value = plain.length > 80 ? LARGEST + 1n : BigInt(plain.replace(/^\+/, ''))
    if (value > LARGEST || value < SMALLEST) throw new TomlFault(at, 'the number does not fit into 64 bits')
    return { kind: 'integer', at, value }
  }
  if (FLOAT.test(word)) return { kind: 'float', at, value: Number(plain) }
  if (ENDLESS.test(word)) {
    if (word.endsWith('nan')) return { kind: 'float', at, value: Number.NaN }
    return { kind: 'float', at, value: word.startsWith('-') ? -Infinity : Infinity }
  }
  throw new TomlFault(at, whyNoNumber(word))
}

/** The word itself is not printed: it may be a token that lost its quotes. */
function whyNoNumber(word: string): string {
  if (/^(?:true|false)$/i.test(word)) return `write ${word.toLowerCase()} in small letters`
  if (/^[+-]?0\d/.test(word)) return 'a number may not begin with 0'
  if (/^[+-]?[\d.]/.test(word)) return 'this is neither a number nor a date; a text needs quotes'
  return 'a text needs quotes'
}
