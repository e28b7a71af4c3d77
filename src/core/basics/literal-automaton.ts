/**
 * Finds which of many literals occur in a text, in one pass and without regard to case (Aho–Corasick over bytes).
 * It is the prefilter of the signatures: a line without a clue costs one table look-up per byte, for any number of signatures.
 */
export type LiteralAutomaton = {
  /** Calls back for each literal that occurs in bytes[start, end); the same literal may be reported again. */
  readonly search: (bytes: Uint8Array, start: number, end: number, found: (literal: number) => void) => void
  /** The first position at or after `start` where some literal ends, or -1. */
  readonly firstEnd: (bytes: Uint8Array, start: number, end: number) => number
  /** Whether a literal occurs in bytes[start, end), where a backslash and a byte mean one byte: `escapes[byte]`. */
  readonly occursEscaped: (bytes: Uint8Array, start: number, end: number, escapes: Uint8Array) => boolean
  /** As `search`, over a text and for literals in ASCII, with the position after the literal. */
  readonly searchText: (text: string, start: number, found: (literal: number, end: number) => void) => void
  /** As `searchText`, up to the first literal that is accepted: the position of its last character, or -1. */
  readonly firstInText: (text: string, start: number, accept: (literal: number, end: number) => boolean) => number
}

const BACKSLASH = 0x5c

export function literalAutomaton(literals: readonly string[]): LiteralAutomaton {
  if (literals.some((literal) => literal.length === 0)) throw new TypeError('an empty literal occurs everywhere')
  const { classes, width, steps, hitsFrom, ends } = build(literals)
  return {
    search: (bytes, start, end, found) => {
      let row = 0
      for (let index = start; index < end; index += 1) {
        row = steps[row | (classes[bytes[index] ?? 0] ?? 0)] ?? 0
        if (row >= hitsFrom) for (const literal of ends[(row - hitsFrom) / width] ?? []) found(literal)
      }
    },
    firstEnd: (bytes, start, end) => {
      let row = 0
      for (let index = start; index < end; index += 1) {
        row = steps[row | (classes[bytes[index] ?? 0] ?? 0)] ?? 0
        if (row >= hitsFrom) return index
      }
      return -1
    },
    occursEscaped: (bytes, start, end, escapes) => {
      let row = 0
      for (let index = start; index < end; index += 1) {
        let byte = bytes[index] ?? 0
        if (byte === BACKSLASH) {
          index += 1
          byte = escapes[bytes[index] ?? 0] ?? 0
        }
        row = steps[row | (classes[byte] ?? 0)] ?? 0
        if (row >= hitsFrom) return true
      }
      return false
    },
    searchText: (text, start, found) => {
      let row = 0
      for (let index = start; index < text.length; index += 1) {
        const code = text.charCodeAt(index)
        row = steps[row | (code < 128 ? (classes[code] ?? 0) : 0)] ?? 0
        if (row >= hitsFrom) for (const literal of ends[(row - hitsFrom) / width] ?? []) found(literal, index + 1)
      }
    },
    firstInText: (text, start, accept) => {
      let row = 0
      for (let index = start; index < text.length; index += 1) {
        const code = text.charCodeAt(index)
        row = steps[row | (code < 128 ? (classes[code] ?? 0) : 0)] ?? 0
        if (row < hitsFrom) continue
        for (const literal of ends[(row - hitsFrom) / width] ?? []) if (accept(literal, index + 1)) return index
      }
      return -1
    },
  }
}

/**
 * Laid out for the loop that reads every byte: bytes that no literal has are one class, which makes the table small enough
 * for the cache; a state is the offset of its row; the states in which a literal ends are the last rows, so that one
 * comparison identifies them.
 */
type Table = {
  readonly classes: Uint8Array
  /** Entries of a row, a power of two. */
  readonly width: number
  readonly steps: Int32Array
  readonly hitsFrom: number
  /** The literals that end in each of the last rows. */
  readonly ends: readonly (readonly number[])[]
}

type State = { readonly children: Map<number, State>; readonly ends: number[]; row: number; fallback: State | null }

function build(literals: readonly string[]): Table {
  const folded = literals.map((literal) => new TextEncoder().encode(literal).map((byte) => fold(byte)))
  const { classes, count } = classify(folded)
  const width = 2 ** Math.ceil(Math.log2(count))
  const states = breadthFirst(buildTrie(folded, classes))
  const hits = states.filter(({ ends }) => ends.length > 0)
  const hitsFrom = (states.length - hits.length) * width
  for (const [index, state] of [...states.filter(({ ends }) => ends.length === 0), ...hits].entries()) {
    state.row = index * width
  }
  return { classes, width, steps: buildSteps(states, width), hitsFrom, ends: hits.map(({ ends }) => ends) }
}

/** Class 0 holds the bytes that occur in no literal; a capital is in the class of its lower-case letter. */
function classify(literals: readonly Uint8Array[]): { readonly classes: Uint8Array; readonly count: number } {
  const classes = new Uint8Array(256)
  let count = 1
  for (const byte of new Set(literals.flatMap((literal) => [...literal]))) {
    classes[byte] = count
    count += 1
  }
  for (let byte = 65; byte <= 90; byte += 1) classes[byte] = classes[fold(byte)] ?? 0
  return { classes, count }
}

function buildTrie(literals: readonly Uint8Array[], classes: Uint8Array): State {
  const root = newState()
  for (const [index, literal] of literals.entries()) {
    let state = root
    for (const byte of literal) {
      const kind = classes[byte] ?? 0
      const child = state.children.get(kind) ?? newState()
      state.children.set(kind, child)
      state = child
    }
    state.ends.push(index)
  }
  return root
}

function newState(): State {
  return { children: new Map(), ends: [], row: 0, fallback: null }
}

/** All states, the shallow ones first, each with the state of its longest proper suffix and what ends with that. */
function breadthFirst(root: State): readonly State[] {
  const states = [root]
  for (const state of states) {
    for (const [kind, child] of state.children) {
      child.fallback = follow(state.fallback, kind) ?? root
      child.ends.push(...child.fallback.ends)
      states.push(child)
    }
  }
  return states
}

function follow(from: State | null, kind: number): State | null {
  for (let state = from; state !== null; state = state.fallback) {
    const child = state.children.get(kind)
    if (child !== undefined) return child
  }
  return null
}

/** A step that the trie does not have goes where the longest proper suffix would go, whose row exists already. */
function buildSteps(states: readonly State[], width: number): Int32Array {
  const steps = new Int32Array(states.length * width)
  for (const { row, fallback, children } of states) {
    if (fallback !== null) steps.copyWithin(row, fallback.row, fallback.row + width)
    for (const [kind, child] of children) steps[row + kind] = child.row
  }
  return steps
}

function fold(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte
}
