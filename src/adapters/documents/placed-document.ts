import { type Pair, type ParsedNode, type YAMLParseError, isAlias, isMap, isScalar, isSeq } from 'yaml'
import type { Path, Place, Problem } from './problem.ts'
import { openYaml } from './yaml-text.ts'

/** The value of a file, and the position of each part. */
export type PlacedDocument = {
  readonly value: unknown
  /** The position of the value at this path, else of the nearest enclosing value. */
  readonly at: (path: Path) => Place
  /** The position of the key, not of its value. */
  readonly atKey: (path: Path) => Place
  readonly problems: readonly Problem[]
}

/**
 * JSON is YAML. A text with parse errors has no value, because what the parser recovers is a guess.
 * `escapeAdvice` is the advice for a wrong backslash in double quotes.
 */
export function readDocument(text: string, escapeAdvice = 'write it in single quotes'): PlacedDocument {
  const { parsed: document, findPlace } = openYaml(text)
  const found: Found = { values: new Map(), keys: new Map(), problems: [] }
  const isWhole = document.errors.length === 0
  const value = isWhole ? walk(document.contents, [], found) : null
  return {
    value,
    at: (path) => findPlace(nearest(path, found.values)),
    atKey: (path) => findPlace(found.keys.get(pathKey(path)) ?? nearest(path, found.values)),
    problems: [...refusals(document.errors, escapeAdvice), ...found.problems].map(({ offset, message, advice }) => {
      const { line, column } = findPlace(offset)
      return { line, column, message, advice }
    }),
  }
}

type Misplaced = { readonly offset: number; readonly message: string; readonly advice: string | null }

type Found = {
  readonly values: Map<string, number>
  readonly keys: Map<string, number>
  readonly problems: Misplaced[]
}

function refusals(errors: readonly YAMLParseError[], escapeAdvice: string): readonly Misplaced[] {
  const exhausted = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  if (exhausted !== undefined) return [{ offset: exhausted.pos[0], message: 'nests too deeply', advice: null }]
  return errors.map(({ code, message, pos }) => ({
    offset: pos[0],
    message,
    advice: code === 'BAD_DQ_ESCAPE' ? escapeAdvice : null,
  }))
}

function pathKey(path: Path): string {
  return JSON.stringify(path)
}

function nearest(path: Path, values: ReadonlyMap<string, number>): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const offset = values.get(pathKey(path.slice(0, length)))
    if (offset !== undefined) return offset
  }
  return 0
}

function walk(node: ParsedNode | null, path: Path, found: Found): unknown {
  if (node === null) return null
  const [offset] = node.range
  found.values.set(pathKey(path), offset)
  if (isScalar(node)) return node.value
  if (isSeq(node)) return node.items.map((item, index) => walk(item, [...path, index], found))
  if (isMap(node)) return walkMap(node.items, path, found)
  if (isAlias(node)) {
    found.problems.push({ offset, message: 'aliases are not supported here', advice: 'write out the value' })
  }
  return null
}

function walkMap(
  items: readonly Pair<ParsedNode, ParsedNode | null>[],
  path: Path,
  found: Found,
): Readonly<Record<string, unknown>> {
  const entries = new Map<string, unknown>()
  for (const { key, value } of items) {
    const [offset] = key.range
    const name = isScalar(key) ? String(key.value) : null
    if (name === null) {
      found.problems.push({ offset, message: 'a key must be a plain string', advice: null })
      continue
    }
    if (entries.has(name)) {
      found.problems.push({ offset, message: `duplicate key ${name}`, advice: 'keep one of them' })
    }
    found.keys.set(pathKey([...path, name]), offset)
    entries.set(name, walk(value, [...path, name], found))
  }
  return Object.fromEntries(entries)
}
