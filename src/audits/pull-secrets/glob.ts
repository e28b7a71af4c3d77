/**
 * Go's `filepath.Match` for one part of a host name: `*`, `?` and `[a-z]`. It backtracks to the last star
 * only, so the time is at most the product of both lengths. A pattern that Go calls malformed matches nothing.
 */
export function globMatches(pattern: string, text: string): boolean {
  const terms = parseGlob(pattern)
  if (terms === null) return false
  let star = -1
  let [term, from, resumed] = [0, 0, 0]
  while (from < text.length) {
    const own = terms[term]
    if (own === 'any') {
      star = term
      term += 1
      resumed = from
    } else if (own !== undefined && own(text.charAt(from))) {
      term += 1
      from += 1
    } else if (star === -1) return false
    else {
      resumed += 1
      term = star + 1
      from = resumed
    }
  }
  return terms.slice(term).every((own) => own === 'any')
}

type Term = 'any' | ((character: string) => boolean)

function parseGlob(pattern: string): readonly Term[] | null {
  const terms: Term[] = []
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at)
    if (character === '*') terms.push('any')
    else if (character === '?') terms.push(() => true)
    else if (character !== '[') terms.push((given) => given === character)
    else {
      const end = pattern.indexOf(']', at + 2)
      if (end === -1) return null
      terms.push(classTerm(pattern.slice(at + 1, end)))
      at = end
    }
  }
  return terms
}

function classTerm(inside: string): Term {
  const isNegated = inside.startsWith('^')
  const ranges = [...inside.slice(isNegated ? 1 : 0).matchAll(/(.)-(.)|(.)/gs)].map(
    ([, low, high, single = '']) => [low ?? single, high ?? single] as const,
  )
  return (given) => ranges.some(([low, high]) => given >= low && given <= high) !== isNegated
}
