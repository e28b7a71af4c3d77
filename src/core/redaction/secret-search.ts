import { literalAutomaton } from '#/core/basics/literal-automaton.ts'
import { assignments } from './finders/assignments.ts'
import {
  curlLogins,
  dockerfileVariables,
  loginCommands,
  maskCommands,
  netrcLogins,
  sqlPasswords,
} from './finders/commands.ts'
import type { Finder, Search, Span } from './finders/finder.ts'
import { FORMAT_FINDERS } from './finders/formats.ts'
import { authorizationHeaders, cookies, schemes, signatures } from './finders/headers.ts'
import { awsSecrets, jobMessages, privateKeys } from './finders/keys.ts'
import { goDataSources, urlCredentials } from './finders/urls.ts'
import { nextLongRun } from './shapes/long-runs.ts'
import { nextRandomWord } from './shapes/random-words.ts'

/** The order decides what a span is called when two begin at the same place. */
export const FINDERS: readonly Finder[] = [
  urlCredentials,
  goDataSources,
  awsSecrets,
  ...FORMAT_FINDERS,
  authorizationHeaders,
  schemes,
  assignments,
  curlLogins,
  loginCommands,
  dockerfileVariables,
  netrcLogins,
  sqlPasswords,
  maskCommands,
  cookies,
  signatures,
  jobMessages,
  privateKeys,
]

const TRIGGERS = FINDERS.flatMap((finder, order) => finder.literals.map((literal) => ({ literal, finder, order })))
const automaton = literalAutomaton(TRIGGERS.map(({ literal }) => literal))

/** Lines that may be a document are read as one if a name in them says secret, though no value follows the name. */
const assignmentTriggers = new Set(TRIGGERS.flatMap(({ finder }, index) => (finder === assignments ? [index] : [])))

let searches = 0

function newSearch(): Search {
  searches = (searches + 1) % 0x7fff_ffff
  return { id: searches, nameEnd: 0, hiddenTo: 0, doubts: 0, doubtedTo: 0 }
}

/** Every part of a line that one of the finders would hide, in order and without overlap. */
export function findSecrets(line: string): readonly Span[] {
  const found: (Span & { readonly order: number })[] = []
  const search = newSearch()
  let hidden: Span | null = null
  automaton.searchText(line, 0, (index, end) => {
    const trigger = TRIGGERS[index]
    if (trigger === undefined) return
    const at = end - trigger.literal.length
    if (hidden !== null && at >= hidden.from && end <= hidden.to) return
    const span = trigger.finder.find(line, at, search)
    if (span === null || span.to <= span.from) return
    found.push({ ...span, order: trigger.order })
    hidden = span
    search.hiddenTo = span.to
  })
  return found.length === 0 ? found : withoutOverlap(found)
}

function withoutOverlap(found: readonly (Span & { readonly order: number })[]): readonly Span[] {
  const joined: Span[] = []
  for (const span of found.toSorted((a, b) => a.from - b.from || a.order - b.order)) {
    const last = joined.at(-1)
    if (last !== undefined && span.from < last.to)
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, span.to) }
    else joined.push(span)
  }
  return joined
}

/** Where something in a text may need a change: the first such position at or after `from`, a start of a line; or -1. */
export type Suspicions = (from: number) => number

/** Most text has none, and costs one look-up in a table for each character. Ask with rising positions only. */
export function suspicionsIn(text: string): Suspicions {
  const search = newSearch()
  const line: Line = { end: -1, isDocument: false }
  const kinds = [
    remembered((from) => firstFound(text, from, { search, line })),
    remembered((from) => nextLongRun(text, from)?.from ?? -1),
    remembered((from) => nextRandomWord(text, from)?.from ?? -1),
  ]
  return (from) => {
    const places = kinds.map((next) => next(from)).filter((place) => place >= 0)
    return places.length === 0 ? -1 : Math.min(...places)
  }
}

/** What was found further on is not searched again. */
function remembered(search: Suspicions): Suspicions {
  let found: number | null = null
  return (from) => {
    if (found === null || (found >= 0 && found < from)) found = search(from)
    return found
  }
}

type Line = { end: number; isDocument: boolean }

function firstFound(text: string, from: number, { search, line }: { search: Search; line: Line }): number {
  search.nameEnd = Math.max(search.nameEnd, from)
  return automaton.firstInText(text, from, (index, end) => {
    const trigger = TRIGGERS[index]
    if (trigger === undefined) return false
    if (trigger.finder.find(text, end - trigger.literal.length, search) !== null) return true
    return trigger.finder === jobMessages || (assignmentTriggers.has(index) && isInDocument(text, end, line))
  })
}

/** A line that ends with a closing bracket may be a document. The end of a line is looked up once. */
function isInDocument(text: string, at: number, line: Line): boolean {
  if (at <= line.end) return line.isDocument
  const feed = text.indexOf('\n', at)
  line.end = feed < 0 ? text.length : feed
  let last = line.end - 1
  while (last > at && text.charCodeAt(last) <= 0x20) last -= 1
  const code = text.charCodeAt(last)
  line.isDocument = code === 0x7d || code === 0x5d
  return line.isDocument
}

/** Whether any literal occurs at all, as a document must be searched by its names then. */
export function hasTrigger(text: string): boolean {
  return (
    automaton.firstInText(text, 0, () => true) >= 0 || nextLongRun(text, 0) !== null || nextRandomWord(text, 0) !== null
  )
}
