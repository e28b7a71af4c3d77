import type { Path, Remark } from '#/adapters/documents/problem.ts'
import { literalAutomaton } from '#/core/basics/literal-automaton.ts'
import type { Pattern } from '#/core/evidence/signature.ts'

/** What does not hold of the examples of the pattern at this path. Our own signatures are held to the same. */
export function failedExamples(pattern: Pattern, path: Path): readonly Remark[] {
  const { regex, examples } = pattern
  const matches = examples.matches.flatMap((text, index): readonly Remark[] => {
    const at = [...path, 'examples', 'matches', index]
    if (regex.test(text)) return failedLiterals(text, pattern, { at, path })
    const advice = 'give the line as the program wrote it, without the time stamp before it, or fix the regex'
    return [{ path: at, message: 'is not matched by the regex', advice }]
  })
  const rejects = examples.rejects.flatMap((text, index): readonly Remark[] => {
    if (!regex.test(text)) return []
    const at = [...path, 'examples', 'rejects', index]
    const advice = 'make the regex say more, or take a line that means something else'
    return [{ path: at, message: 'is matched by the regex, which has to reject it', advice }]
  })
  return [...matches, ...rejects]
}

function failedLiterals(
  text: string,
  { regex, literals }: Pattern,
  { at, path }: { readonly at: Path; readonly path: Path },
): readonly Remark[] {
  if (!holdsAny(text, literals)) {
    const advice = 'give a literal that is in it, or leave literals out where the regex holds a fixed text'
    return [{ path: at, message: 'has none of the literals in it, so it would never be looked at', advice }]
  }
  const without = literals.reduce(withoutLiteral, text)
  if (holdsAny(without, literals) || !regex.test(without)) return []
  const advice = 'each line that the regex matches has to hold one of them: lines without would be missed'
  return [
    { path: [...path, 'literals'], message: 'are not needed: the regex matches its example without them', advice },
  ]
}

function holdsAny(text: string, literals: readonly string[]): boolean {
  const bytes = new TextEncoder().encode(text)
  return literalAutomaton(literals).firstEnd(bytes, 0, bytes.length) >= 0
}

function withoutLiteral(text: string, literal: string): string {
  const escaped = literal.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  return text.replaceAll(new RegExp(escaped, 'gi'), '')
}
