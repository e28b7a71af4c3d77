/**
 * Finds which of many literals occur in a text, in one pass and without regard to case (Aho–Corasick over bytes).
 * It is the prefilter of the signatures: a line without a clue costs one table look-up a byte, however many signatures there are.
 */
export type LiteralAutomaton = {
  /** Calls back once for each literal that occurs in bytes[start, end); the same literal may be told again. */
  readonly search: (bytes: Uint8Array, start: number, end: number, found: (literal: number) => void) => void
  /** The first position at or after `start` where some literal ends, or -1. */
  readonly firstEnd: (bytes: Uint8Array, start: number, end: number) => number
}

type Trie = { readonly next: Int32Array; readonly ends: readonly (readonly number[])[] }

const BYTES = 256

export function literalAutomaton(literals: readonly string[]): LiteralAutomaton {
  if (literals.some((literal) => literal.length === 0)) throw new TypeError('an empty literal occurs everywhere')
  const folded = literals.map((literal) => new TextEncoder().encode(literal).map((byte) => fold(byte)))
  const { next, ends } = build(folded)
  const hit = Uint8Array.from(ends, (found) => (found.length > 0 ? 1 : 0))
  return {
    search: (bytes, start, end, found) => {
      let state = 0
      for (let index = start; index < end; index += 1) {
        state = next[state * BYTES + (bytes[index] ?? 0)] ?? 0
        if (hit[state] === 1) for (const literal of ends[state] ?? []) found(literal)
      }
    },
    firstEnd: (bytes, start, end) => {
      let state = 0
      for (let index = start; index < end; index += 1) {
        state = next[state * BYTES + (bytes[index] ?? 0)] ?? 0
        if (hit[state] === 1) return index
      }
      return -1
    },
  }
}

function build(literals: readonly Uint8Array[]): Trie {
  const size = 1 + literals.reduce((sum, literal) => sum + literal.length, 0)
  const next = new Int32Array(size * BYTES).fill(-1)
  const ends: number[][] = [[]]
  for (const [index, literal] of literals.entries()) {
    let state = 0
    for (const byte of literal) {
      const slot = state * BYTES + byte
      if (next[slot] === -1) next[slot] = ends.push([]) - 1
      state = next[slot] ?? 0
    }
    ends[state]?.push(index)
  }
  const states = ends.length
  return { next: complete(next, ends, states), ends }
}

/** Breadth first: a missing step continues where the longest proper suffix would. */
function complete(next: Int32Array, ends: number[][], states: number): Int32Array {
  const fail = new Int32Array(states)
  const queue: number[] = [0]
  for (const state of queue) {
    for (let byte = 0; byte < BYTES; byte += 1) {
      const through = state === 0 ? 0 : (next[(fail[state] ?? 0) * BYTES + byte] ?? 0)
      const child = next[state * BYTES + byte] ?? -1
      if (child === -1) {
        next[state * BYTES + byte] = through
        continue
      }
      fail[child] = through
      ends[child]?.push(...(ends[through] ?? []))
      queue.push(child)
    }
  }
  return withoutCase(next.subarray(0, states * BYTES))
}

/** The trie is made of small letters; a capital goes where its small letter goes. */
function withoutCase(next: Int32Array): Int32Array {
  for (let row = 0; row < next.length; row += BYTES) {
    for (let byte = 65; byte <= 90; byte += 1) next[row + byte] = next[row + fold(byte)] ?? 0
  }
  return next
}

function fold(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte
}
