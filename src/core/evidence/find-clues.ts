import { literalAutomaton } from '#/core/basics/literal-automaton.ts'
import type { Clue, Pattern, Signature, Stream } from './signature.ts'

/** Longer lines are cut: no signature matches that far from the start, and the limit keeps regexes cheap. */
export const LONGEST_LINE = 16 * 1024

export type LineToRead = {
  readonly text: string
  /** Null: the origin of the line is not known, and every signature may match. */
  readonly stream: Stream | null
  /** The reason of an event. */
  readonly reason?: string
}

export type ClueFinder = (line: LineToRead) => readonly Clue[]

/** A log line with at least one clue: its text, its offset and its clues. */
export type ClueLine = { readonly text: string; readonly start: number; readonly clues: readonly Clue[] }

/** Reads whole log lines as bytes. A line without a literal of any signature is never decoded. */
export type LogScanner = (bytes: Uint8Array, stream: Stream | null, report: (line: ClueLine) => void) => void

type Known = { readonly signature: Signature; readonly pattern: Pattern }

/** One automaton for all literals, built once: a line without any of them costs one pass. A signature matches once per line. */
export function clueFinder(signatures: readonly Signature[]): ClueFinder {
  const prefilter = createPrefilter(signatures)
  const encoder = new TextEncoder()
  // A UTF-16 code unit has at most three bytes in UTF-8.
  const bytes = new Uint8Array(LONGEST_LINE * 3)
  return (line) => {
    const text = line.text.slice(0, LONGEST_LINE)
    const { written } = encoder.encodeInto(text, bytes)
    return prefilter.isSilent(bytes, 0, written)
      ? []
      : matchClues(prefilter.candidates(bytes, 0, written), { ...line, text })
  }
}

const LINE_FEED = 0x0a

export function logScanner(signatures: readonly Signature[]): LogScanner {
  const prefilter = createPrefilter(signatures)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return (bytes, stream, report) => {
    for (let from = 0; from < bytes.length;) {
      const hit = prefilter.firstEnd(bytes, from, bytes.length)
      if (hit < 0) return
      const start = bytes.lastIndexOf(LINE_FEED, hit) + 1
      const feed = bytes.indexOf(LINE_FEED, hit)
      const end = feed < 0 ? bytes.length : feed
      const text = decoder.decode(bytes.subarray(start, end)).slice(0, LONGEST_LINE)
      const clues = matchClues(prefilter.candidates(bytes, start, end), { text, stream })
      if (clues.length > 0) report({ text, start, clues })
      from = end + 1
    }
  }
}

/** The literals of these streams: a line without any of them gives no clue. */
export function listLiterals(signatures: readonly Signature[], streams: readonly Stream[]): readonly string[] {
  const patterns = signatures.flatMap((signature) => signature.patterns)
  const matching = patterns.filter((pattern) => pattern.streams.some((stream) => streams.includes(stream)))
  return [...new Set(matching.flatMap((pattern) => pattern.literals))]
}

function createPrefilter(signatures: readonly Signature[]) {
  const known = signatures.flatMap((signature) => signature.patterns.map((pattern): Known => ({ signature, pattern })))
  const literals = known.flatMap((each) => each.pattern.literals.map((literal) => ({ literal, each })))
  const order = new Map(known.map((each, index) => [each, index]))
  const automaton = literalAutomaton(literals.map(({ literal }) => literal))
  return {
    firstEnd: automaton.firstEnd,
    isSilent: (bytes: Uint8Array, start: number, end: number): boolean => automaton.firstEnd(bytes, start, end) < 0,
    /** The signatures that may match, in order. */
    candidates: (bytes: Uint8Array, start: number, end: number): readonly Known[] => {
      const found = new Set<Known>()
      automaton.search(bytes, start, end, (index) => {
        const literal = literals[index]
        if (literal !== undefined) found.add(literal.each)
      })
      return [...found].toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    },
  }
}

function matchClues(candidates: readonly Known[], line: LineToRead): readonly Clue[] {
  const found = new Map<string, Clue>()
  for (const candidate of candidates) {
    if (found.has(candidate.signature.id)) continue
    const clue = matchClue(candidate, line)
    if (clue !== null) found.set(clue.signature, clue)
  }
  return [...found.values()]
}

function matchClue({ signature, pattern }: Known, { text, stream, reason }: LineToRead): Clue | null {
  if (stream !== null && !pattern.streams.includes(stream)) return null
  if (pattern.reasons !== undefined && reason !== undefined && !pattern.reasons.includes(reason)) return null
  const match = pattern.regex.exec(text)
  if (match === null) return null
  const groups = Object.entries(match.groups ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    signature: signature.id,
    says: signature.says,
    strength: pattern.strength,
    groups: Object.fromEntries(groups),
    caution: pattern.caution ?? null,
  }
}
