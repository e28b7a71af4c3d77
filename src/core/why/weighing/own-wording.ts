import type { Dossier } from '#/core/why/dossier.ts'
import { theJob, theNode, thePod, clueField, upper } from '#/core/why/wording.ts'

const BRACES = /\{(?<word>[^{}]*)\}/g
const CLUE_FIELD = /^(?<clue>[a-z0-9-]+)\.(?<group>\w+)$/

const NAMES: ReadonlyMap<string, (d: Dossier) => string> = new Map([
  ['pod', thePod],
  ['node', theNode],
  ['job', theJob],
])

/** A placeholder in a sentence of own rules: a name of the subject, or a field of a clue. */
export type Placeholder =
  | { readonly kind: 'name'; readonly word: string }
  | { readonly kind: 'field'; readonly word: string; readonly clue: string; readonly group: string }
  | { readonly kind: 'unknown'; readonly word: string }

export const PLACEHOLDER_NAMES: readonly string[] = [...NAMES.keys()]

export function listPlaceholders(template: string): readonly Placeholder[] {
  return [...template.matchAll(BRACES)].map(({ groups }) => parsePlaceholder(groups?.['word'] ?? ''))
}

export function fillIn(template: string, d: Dossier): string {
  const filled = template.replaceAll(BRACES, (_, word: string) => {
    const placeholder = parsePlaceholder(word)
    if (placeholder.kind === 'field')
      return quoted(clueField(d, placeholder.clue, placeholder.group)) ?? `(${placeholder.group} unknown)`
    return NAMES.get(word)?.(d) ?? word
  })
  return upper(filled)
}

const LONGEST_QUOTE = 200

/** The text of a named group, safe to print: a job may print anything, and the sentence goes to a terminal. */
function quoted(value: string | null): string | null {
  if (value === null) return null
  const plain = value.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ').trim()
  return plain.length > LONGEST_QUOTE ? `${plain.slice(0, LONGEST_QUOTE)}…` : plain
}

function parsePlaceholder(word: string): Placeholder {
  if (NAMES.has(word)) return { kind: 'name', word }
  const value = CLUE_FIELD.exec(word)?.groups
  if (value === undefined) return { kind: 'unknown', word }
  return { kind: 'field', word, clue: value['clue'] ?? '', group: value['group'] ?? '' }
}
