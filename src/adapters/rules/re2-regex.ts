import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js'
import type { LineRegex } from '#/core/evidence/signature.ts'
import { requiredLiterals } from './required-literals.ts'

/** What one line costs grows with the size of the program. A pattern for a line needs a tenth of it. */
const MOST_INSTRUCTIONS = 500

export type Compiled =
  | {
      readonly kind: 'compiled'
      readonly regex: LineRegex
      /** One of these is in every text that matches; empty where the pattern holds no fixed text. */
      readonly literals: readonly string[]
    }
  | { readonly kind: 'refused'; readonly why: string; readonly advice: string }

const FLAGS = [
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
] as const

/** Linear in the length of the line, whatever the pattern: other people's patterns are never given to the engine of Node. */
export function compileRe2(source: string, flags: string): Compiled {
  try {
    const compiled = RE2JS.compile(source, toFlagBits(flags))
    const size = compiled.programSize()
    if (size > MOST_INSTRUCTIONS) {
      const why = `is too costly: a program of ${size} instructions, of which ${MOST_INSTRUCTIONS} are allowed`
      return { kind: 'refused', why, advice: 'repeat less (x{1,500} counts 500 times), or make two patterns of it' }
    }
    return {
      kind: 'compiled',
      regex: lineRegex(compiled, source, flags),
      literals: findLiterals(compiled, source, flags),
    }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return { kind: 'refused', why: `is not RE2: ${describeError(error)}`, advice: adviceFor(source) }
  }
}

function toFlagBits(flags: string): number {
  return FLAGS.reduce((bits, [flag, bit]) => (flags.includes(flag) ? bits | bit : bits), 0)
}

/** Where capitals do not matter the engine looks for no text. Ours does not mind them, as far as ASCII goes. */
function findLiterals(compiled: RE2JS, source: string, flags: string): readonly string[] {
  if (!flags.includes('i')) return requiredLiterals(compiled)
  const literals = requiredLiterals(RE2JS.compile(source, toFlagBits(flags.replace('i', ''))))
  // oxlint-disable-next-line no-control-regex -- ASCII is what is meant
  return literals.every((literal) => /^[\x00-\x7f]*$/.test(literal)) ? literals : []
}

function describeError(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return error.message
  const fragment = error.getPattern() ?? ''
  return fragment === '' ? error.getDescription() : `${error.getDescription()}: ${fragment}`
}

function adviceFor(source: string): string {
  if (/\(\?<?[=!]/.test(source)) {
    return 'RE2 has no lookahead and no lookbehind: match what stands around, and put a named group around what you want'
  }
  return /\\[1-9]/.test(source)
    ? 'RE2 has no backreferences: write the part that repeats twice'
    : 'the syntax is that of RE2, see docs/own-rules.md'
}

function lineRegex(compiled: RE2JS, source: string, flags: string): LineRegex {
  return {
    source,
    flags,
    global: false,
    sticky: false,
    test: (text) => compiled.test(text),
    // The match-only automaton is many times faster, and most lines do not match.
    exec: (text) => {
      if (!compiled.test(text)) return null
      const matcher = compiled.matcher(text)
      return matcher.find() ? { groups: named(matcher.getNamedGroups()) } : null
    },
  }
}

function named(groups: Readonly<Record<string, string | null>>): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value ?? undefined]))
}
