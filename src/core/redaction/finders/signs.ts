import type { RedactionKind } from '#/core/redaction/shapes/redaction-kinds.ts'

/** What stands between a name and its value. */
export type Sign = {
  readonly form: 'equals' | 'colon' | 'option' | 'tag'
  readonly valueStart: number
  /** The quote that opens the value, or none. */
  readonly quote: string
  /** The quote has a backslash before it: a document inside a string. */
  readonly isEscaped: boolean
  /** `"name":`, as in JSON. */
  readonly isInDocument: boolean
  /** The name is that of a command's option. */
  readonly isOption: boolean
  readonly kind: RedactionKind
}

/** Sticky, and every repetition is bounded. */
const SIGN = /(\\{0,8}["'`]?\]?)([ \t]{0,4})(:=|=>|=(?!=)|:|%3D)([ \t]{0,16})\[?(\\{0,8})(["'`]?)/iy
const GAP = /[ \t]{1,4}(["']?)/y

/** Null if no value follows the name. */
export function readSign(text: string, start: number, end: number): Sign | null {
  if (text.charAt(end) === '>' && text.charAt(start - 1) === '<') return plain('tag', end + 1)
  // After kubectl's option for the keys of a Secret, the value is a file.
  if (!MAY_FOLLOW.test(text.charAt(end)) || text.startsWith('--from-file=', start - 12)) return null
  SIGN.lastIndex = end
  const found = SIGN.exec(text)
  return found === null ? readOption(text, start, end) : readFound(text, start, end, found)
}

function readFound(text: string, start: number, end: number, found: RegExpExecArray): Sign | null {
  const [whole, closing, , sign, gap, backslashes = '', quote = ''] = found
  const form = sign === ':' ? 'colon' : 'equals'
  const isInDocument = form === 'colon' && closing !== ''
  // `a:b` is a pair of many kinds; a header or a document has a space or quotes.
  if (form === 'colon' && `${closing}${gap}${quote}` === '' && !isHeader(text, start)) return null
  const isOption = isOptionName(text, start)
  return {
    form,
    valueStart: end + whole.length - (quote === '' ? backslashes.length : 0),
    quote,
    isEscaped: backslashes !== '' && quote !== '',
    isInDocument,
    isOption,
    kind: isInDocument || isOption ? 'credential' : 'env',
  }
}

const MAY_FOLLOW = /[\\"'`\]\s:=%]/

function isHeader(text: string, start: number): boolean {
  return /^x-/i.test(text.slice(start, start + 2))
}

function isOptionName(text: string, start: number): boolean {
  return text.charAt(start) === '-' && (start === 0 || /[\s"'[,(`]/.test(text.charAt(start - 1)))
}

/** `--token value`: only an option's name needs no sign. */
function readOption(text: string, start: number, end: number): Sign | null {
  if (!isOptionName(text, start)) return null
  GAP.lastIndex = end
  const [whole, quote = ''] = GAP.exec(text) ?? []
  return whole === undefined ? null : { ...plain('option', end + whole.length), quote, isOption: true }
}

function plain(form: Sign['form'], valueStart: number): Sign {
  return { form, valueStart, quote: '', isEscaped: false, isInDocument: false, isOption: false, kind: 'credential' }
}
