import { literalAutomaton } from '#/core/literal-automaton.ts'
import type { Clue, Pattern, Signature, Stream } from '#/core/signature.ts'

/** Longer lines are cut: nothing that a signature knows is so far from the beginning, and the bound keeps regexes cheap. */
export const LONGEST_LINE = 16 * 1024

export type LineToRead = {
  readonly text: string
  /** Null: it is not known where the line came from, and every signature may speak. */
  readonly stream: Stream | null
  /** The reason of an event. */
  readonly reason?: string
}

export type ClueFinder = (line: LineToRead) => readonly Clue[]

type Known = { readonly signature: Signature; readonly pattern: Pattern }

/** One automaton for all literals, made once; a line without any of them is done after one pass. A signature speaks once a line. */
export function clueFinder(signatures: readonly Signature[]): ClueFinder {
  const known = signatures.flatMap((signature) => signature.patterns.map((pattern): Known => ({ signature, pattern })))
  const literals = known.flatMap(({ pattern }, index) => pattern.literals.map((literal) => ({ literal, index })))
  const automaton = literalAutomaton(literals.map(({ literal }) => literal))
  const encoder = new TextEncoder()
  return (line) => {
    const text = line.text.slice(0, LONGEST_LINE)
    const bytes = encoder.encode(text)
    const candidates = new Set<number>()
    automaton.search(bytes, 0, bytes.length, (literal) => candidates.add(literals[literal]?.index ?? 0))
    const told = new Map<string, Clue>()
    for (const index of [...candidates].toSorted((a, b) => a - b)) {
      const candidate = known[index]
      if (candidate === undefined || told.has(candidate.signature.id)) continue
      const clue = clueOf(candidate, { ...line, text })
      if (clue !== null) told.set(clue.signature, clue)
    }
    return [...told.values()]
  }
}

function clueOf({ signature, pattern }: Known, { text, stream, reason }: LineToRead): Clue | null {
  if (stream !== null && !pattern.streams.includes(stream)) return null
  if (pattern.reasons !== undefined && reason !== undefined && !pattern.reasons.includes(reason)) return null
  const match = pattern.regex.exec(text)
  if (match === null) return null
  const told = Object.entries(match.groups ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    signature: signature.id,
    says: signature.says,
    strength: pattern.strength,
    captures: Object.fromEntries(told),
    caution: pattern.caution ?? null,
  }
}
