import { type Document, LineCounter, isScalar, parseAllDocuments, parseDocument, visit } from 'yaml'
import type { Place } from './problem.ts'

/** The only YAML reader. Load it lazily where YAML is rarely needed. */
export type YamlText<Parsed> = { readonly parsed: Parsed; readonly findPlace: (offset: number) => Place }

/**
 * One document. The caller checks for duplicate keys (`duplicateKey`): the parser's own check compares every key with every
 * other, which takes minutes for a file with many keys.
 */
export function openYaml(
  text: string,
  /** `first`: later documents are ignored; otherwise they are an error. */
  { of = 'only' }: { readonly of?: 'only' | 'first' } = {},
): YamlText<Document.Parsed> {
  const lineCounter = new LineCounter()
  const options = { prettyErrors: false, uniqueKeys: false, lineCounter }
  // With `silent`, this parser ignores a second document.
  const parsed = parseDocument(text, of === 'first' ? { ...options, logLevel: 'silent' } : options)
  return { parsed, findPlace: placesBy(lineCounter) }
}

/** Any number of documents, with merge keys (`<<`), as Helm and kubectl accept them. */
export function openYamlDocuments(text: string): YamlText<readonly Document.Parsed[]> {
  const lineCounter = new LineCounter()
  const parsed = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent', lineCounter, merge: true })
  return { parsed: 'empty' in parsed ? [] : parsed, findPlace: placesBy(lineCounter) }
}

function placesBy(lines: LineCounter): (offset: number) => Place {
  return (offset) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
}

/** An alias is a copy of its anchor: a few lines can need more memory than there is. */
const MAX_ALIASES = 100

/** The value, or why an alias cannot be resolved: one without an anchor, or too many. */
export function yamlValue(document: Document): { readonly value: unknown } | { readonly why: string } {
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) }
  } catch (fault) {
    return { why: fault instanceof Error ? fault.message : 'an alias cannot be resolved' }
  }
}

/** The first duplicate key of a map. */
export function duplicateKey(document: Document.Parsed): string | null {
  let found: string | null = null
  visit(document, {
    Map: (_key, { items }) => {
      found = firstTwice(items.flatMap(({ key }) => (isScalar(key) ? [key.value] : [])))
      return found === null ? undefined : visit.BREAK
    },
  })
  return found
}

function firstTwice(keys: readonly unknown[]): string | null {
  const before = new Set<unknown>()
  for (const key of keys) {
    if (before.has(key)) return String(key)
    before.add(key)
  }
  return null
}
