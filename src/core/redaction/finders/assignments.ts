import { characters, runEnd, runStart } from '#/core/redaction/shapes/characters.ts'
import { isHarmlessValue, isJitName, isSecretKey, weighName } from '#/core/redaction/values/secret-names.ts'
import type { NameWeight } from '#/core/redaction/values/secret-names.ts'
import { looksGenerated, looksRandom } from '#/core/redaction/values/random-looking.ts'
import { isDigest } from '#/core/redaction/values/digests.ts'
import type { Finder, Search, Span } from './finder.ts'
import { readSign } from './signs.ts'
import type { Sign } from './signs.ts'

const NAME = characters('A-Za-z0-9_.-')
const LONGEST_NAME = 96

/** `NAME=value`, `name: value`, `"name":"value"`, `--name value`, `<name>value</name>`: the name says what the value is. */
export const assignments: Finder = {
  literals: ['token', 'secret', 'pass', 'pwd', 'cred', 'key', 'jit', 'auth', 'pat', 'connection', 'cookie'],
  find: (text, at, search) => {
    if (at < search.nameEnd) return null
    const end = runEnd(text, at, NAME)
    const room = Math.min(LONGEST_NAME, at - search.nameEnd, search.hiddenTo > at ? LONGEST_NAME : at - search.hiddenTo)
    const start = Math.max(end - LONGEST_NAME, runStart(text, at, NAME, room))
    search.nameEnd = end
    return afterName(text, start, end, search)
  },
}

function afterName(text: string, start: number, end: number, search: Search): Span | null {
  const sign = readSign(text, start, end)
  if (sign === null) return null
  const name = text.slice(start, end).replace(/^[-.]{1,8}/, '')
  const weight = weighName(name)
  if (weight === 'none' || (weight !== 'certain' && isTired(search, sign.valueStart))) return null
  const near = endOfValue(text, { sign, start, name, most: READ })
  const value = text.slice(sign.valueStart, near)
  if (!/[A-Za-z0-9]/.test(value) || isHarmlessValue(value) || isDigest(value) || isCode(value)) return null
  if (!isSecret(text, { start, name, weight, sign, value, valueEnd: near })) {
    noteDoubt(text, sign.valueStart, near, search)
    return null
  }
  const to = near - sign.valueStart < READ ? near : endOfValue(text, { sign, start, name, most: text.length })
  search.nameEnd = Math.max(search.nameEnd, to)
  return { from: sign.valueStart, to, kind: isJitName(name) ? 'jit-config' : sign.kind }
}

/** The call of a function, or a name of a program's own: source code in a log. */
function isCode(value: string): boolean {
  return /^(?:(?:this|self|process|config|options|params|args|req|ctx|os|env)\.|[A-Za-z_$][\w$.]{0,64}\()/.test(value)
}

/** Enough to judge a value. */
const READ = 192
/** How many values that end at one place are judged for names that say little. */
const MOST_DOUBTS = 8

/** `key=key=key=…`: every value reaches to the same end. */
function isTired(search: Search, valueStart: number): boolean {
  return valueStart < search.doubtedTo && search.doubts >= MOST_DOUBTS
}

function noteDoubt(text: string, valueStart: number, near: number, search: Search): void {
  const isSame = valueStart < search.doubtedTo
  search.doubts = isSame ? search.doubts + 1 : 0
  search.doubtedTo = isSame ? search.doubtedTo : runEnd(text, near, UNQUOTED)
}

type Assignment = {
  readonly start: number
  readonly name: string
  readonly weight: NameWeight
  readonly sign: Sign
  readonly value: string
  readonly valueEnd: number
}

function isSecret(text: string, assignment: Assignment): boolean {
  const { name, weight, sign, value } = assignment
  if (sign.form === 'option' && (value.startsWith('-') || weight === 'possible')) return false
  if (sign.isInDocument && isSecretKey(name)) return true
  if (weight === 'possible') return looksRandom(value)
  if (weight === 'usual') return sign.isOption || looksGenerated(value)
  return sign.form !== 'colon' || isSecretAfterColon(text, assignment)
}

/** Plain words before a colon are often prose ("invalid token: it has expired"). */
function isSecretAfterColon(text: string, assignment: Assignment): boolean {
  const isVariable = /^[A-Z0-9_]+$/.test(assignment.name)
  if (isVariable || looksGenerated(assignment.value) || looksRandom(assignment.value)) return true
  // `Password:"word"`, as Go prints a struct.
  const isField = assignment.sign.quote !== '' && text.charAt(assignment.sign.valueStart - 2) === ':'
  return (isField && PASSWORD.test(assignment.name)) || isPasswordOfItsOwnLine(text, assignment)
}

/** `password: hunter2` in YAML; prose has more words on the line, or says what is wrong with it. */
function isPasswordOfItsOwnLine(
  text: string,
  { start, name, valueEnd }: Pick<Assignment, 'start' | 'name' | 'valueEnd'>,
): boolean {
  if (!PASSWORD.test(name)) return false
  const before = text.slice(Math.max(0, start - 64), start)
  const isFirst = /(?:^|\n)[ \t]{0,64}(?:- )?["']?$/.test(before)
  const rest = text.slice(valueEnd, valueEnd + 3)
  return isFirst && /^["']?\s{0,2}(?:\n|$)/.test(rest) && !STATES.test(text.slice(valueEnd - 12, valueEnd))
}

const PASSWORD = /(?:password|passwd|passphrase)$/i
const STATES =
  /(?:expired|invalid|incorrect|missing|required|wrong|unchanged|changed|optional|failed|set|empty|needed)$/i

const UNQUOTED = characters(String.raw`^\s"'`)
const IN_TAG = characters(String.raw`^\s<`)
const IN_QUERY = characters(String.raw`^\s"'&`)

type ValueToRead = Pick<Assignment, 'sign' | 'start' | 'name'> & { readonly most: number }

function endOfValue(text: string, { sign, start, name, most }: ValueToRead): number {
  const from = sign.valueStart
  if (sign.quote !== '') return endOfQuoted(text, sign, most)
  if (sign.form === 'tag') return runEnd(text, from, IN_TAG, most)
  if (sign.form === 'equals' && /^[A-Z]/.test(name) && isDump(text, start)) return runEnd(text, from, LINE, most)
  const isQuery = /[?&]/.test(text.charAt(start - 1))
  return runEnd(text, from, isQuery ? IN_QUERY : UNQUOTED, most)
}

const LINE = characters(String.raw`^\r\n`)

/** A dump of the environment: the value reaches to the end of the line, spaces included. */
function isDump(text: string, start: number): boolean {
  return /(?:^|[\n])(?:export |declare -x |\+ )?$/.test(text.slice(Math.max(0, start - 12), start))
}

function endOfQuoted(text: string, { quote, isEscaped, valueStart }: Sign, most: number): number {
  const end = Math.min(text.length, valueStart + most)
  for (let at = valueStart; at < end; at += 1) {
    const character = text.charAt(at)
    if (character === quote || character === '\n') return at
    if (character !== '\\' || quote !== '"') continue
    const after = runEnd(text, at, BACKSLASH)
    if (isEscaped && text.charAt(after) === quote) return at
    at = isEscaped ? after - 1 : at + 1
  }
  return end
}

const BACKSLASH = characters(String.raw`\\`)
