import type { Dossier } from '#/core/why/dossier.ts'
import { theJob, theNode, thePod, toldBy, upper } from '#/core/why/wording.ts'

const BRACES = /\{(?<word>[^{}]*)\}/g
const TOLD = /^(?<clue>[a-z0-9-]+)\.(?<group>\w+)$/

const NAMES: ReadonlyMap<string, (d: Dossier) => string> = new Map([
  ['pod', thePod],
  ['node', theNode],
  ['job', theJob],
])

/** A placeholder in a sentence of own rules: a name of the subject, or a field of a clue. */
export type Blank =
  | { readonly kind: 'name'; readonly word: string }
  | { readonly kind: 'told'; readonly word: string; readonly clue: string; readonly group: string }
  | { readonly kind: 'unknown'; readonly word: string }

export const BLANK_NAMES: readonly string[] = [...NAMES.keys()]

export function blanksIn(template: string): readonly Blank[] {
  return [...template.matchAll(BRACES)].map(({ groups }) => blankOf(groups?.['word'] ?? ''))
}

export function fillIn(template: string, d: Dossier): string {
  const filled = template.replaceAll(BRACES, (_, word: string) => {
    const blank = blankOf(word)
    if (blank.kind === 'told') return quoted(toldBy(d, blank.clue, blank.group)) ?? `(${blank.group} unknown)`
    return NAMES.get(word)?.(d) ?? word
  })
  return upper(filled)
}

const LONGEST_QUOTE = 200

/** A captured text, safe to print: a job may print anything, and the sentence goes to a terminal. */
function quoted(told: string | null): string | null {
  if (told === null) return null
  const plain = told.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ').trim()
  return plain.length > LONGEST_QUOTE ? `${plain.slice(0, LONGEST_QUOTE)}…` : plain
}

function blankOf(word: string): Blank {
  if (NAMES.has(word)) return { kind: 'name', word }
  const told = TOLD.exec(word)?.groups
  if (told === undefined) return { kind: 'unknown', word }
  return { kind: 'told', word, clue: told['clue'] ?? '', group: told['group'] ?? '' }
}
