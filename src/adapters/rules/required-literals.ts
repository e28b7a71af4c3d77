import type { RE2JS } from 're2js'

/**
 * Texts of which every match holds at least one. The engine works them out for its own prefilter, which its types call
 * `any`: what does not look like the tree that we know gives none, and then people have to name them.
 */
export function requiredLiterals(compiled: RE2JS): readonly string[] {
  const { prefilter } = compiled.re2() as { readonly prefilter: unknown }
  return literalsIn(prefilter) ?? []
}

const KIND = { exact: 1, all: 2, any: 3 } as const
const MOST_LITERALS = 100

function literalsIn(tree: unknown): readonly string[] | null {
  if (typeof tree !== 'object' || tree === null || !('type' in tree)) return null
  if (tree.type === KIND.exact)
    return 'str' in tree && typeof tree.str === 'string' && tree.str !== '' ? [tree.str] : null
  if (!('subs' in tree) || !Array.isArray(tree.subs)) return null
  const parts = tree.subs.map(literalsIn)
  if (tree.type === KIND.all) return rarest(parts.filter((part) => part !== null))
  return tree.type === KIND.any ? everyWay(parts) : null
}

/** All of the parts are in the text, so one will do: that whose shortest literal is the longest. */
function rarest(parts: readonly (readonly string[])[]): readonly string[] | null {
  return parts.toSorted((a, b) => shortest(b) - shortest(a))[0] ?? null
}

/** One of the ways was taken, and nobody knows which: each must be known by a literal. */
function everyWay(parts: readonly (readonly string[] | null)[]): readonly string[] | null {
  const literals = new Set<string>()
  for (const part of parts) {
    if (part === null) return null
    for (const literal of part) literals.add(literal)
  }
  return literals.size > 0 && literals.size <= MOST_LITERALS ? [...literals] : null
}

function shortest(literals: readonly string[]): number {
  return Math.min(...literals.map((literal) => literal.length))
}
