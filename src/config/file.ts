import { type Document, type Pair, type ParsedNode, isMap, isScalar, visit } from 'yaml'
import type { Entry, Gathered, Problem } from '#/config/entry.ts'
import type { SmallFile } from '#/adapters/files/read-small-file.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import type { Setting } from '#/config/setting.ts'
import { settings } from '#/config/setting.ts'
import { openYaml } from '#/adapters/documents/yaml-text.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'

/** A real one has about forty lines. */
const LARGEST_BYTES = 1_048_576

export function readConfigFile(path: string): Promise<SmallFile> {
  return readSmallFile(path, LARGEST_BYTES)
}

/** Every key with its line; unknown keys are problems. */
export function fromFile(file: string, text: string): Gathered {
  const { parsed: document, findPlace } = openYaml(text)
  const at = (offset: number): string => {
    const { line, column } = findPlace(offset)
    return `${file}:${line}:${column}`
  }
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ pos, message }) => ({ where: at(pos[0]), message, meant: [] }))
    return { entries: [], problems }
  }
  const alias = firstAlias(document)
  if (alias !== null) return failed({ where: at(alias), message: 'YAML aliases are not supported', meant: [] })
  return walk(document.contents, [], { file, document, at, findLine: (offset) => findPlace(offset).line })
}

/** Refused, because a few lines of aliases can expand to gigabytes. */
function firstAlias(document: Document.Parsed): number | null {
  let offset: number | null = null
  visit(document, {
    Alias: (_key, node) => {
      offset = node.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}

type Place = {
  readonly file: string
  readonly document: Document.Parsed
  readonly at: (offset: number) => string
  readonly findLine: (offset: number) => number
}

function walk(node: ParsedNode | null, parents: readonly string[], place: Place): Gathered {
  if (node === null || (isScalar(node) && node.value === null)) return { entries: [], problems: [] }
  if (!isMap(node)) {
    const what = parents.length === 0 ? 'the file' : parents.join('.')
    return failed({ where: place.at(node.range[0]), message: `${what} must be a group of settings`, meant: [] })
  }
  const before = new Set<string>()
  const parts = node.items.map((pair) => {
    const key = isScalar(pair.key) ? String(pair.key.value) : null
    if (key === null || !before.has(key)) {
      if (key !== null) before.add(key)
      return walkPair(pair, parents, place)
    }
    const message = `${[...parents, key].join('.')} is defined twice`
    return failed({ where: place.at(pair.key.range[0]), message, meant: [] })
  })
  return { entries: parts.flatMap(({ entries }) => entries), problems: parts.flatMap(({ problems }) => problems) }
}

function walkPair(pair: Pair<ParsedNode, ParsedNode | null>, parents: readonly string[], place: Place): Gathered {
  const offset = pair.key.range[0]
  const key = isScalar(pair.key) ? String(pair.key.value) : ''
  const path = [...parents, key].join('.')
  const setting = settings.find((candidate) => candidate.path === path)
  if (setting !== undefined) return leaf(setting, pair.value, { ...place, offset })
  if (settings.some((candidate) => candidate.path.startsWith(`${path}.`)))
    return walk(pair.value, [...parents, key], place)
  return failed({
    where: place.at(offset),
    message: `no such setting: ${path}`,
    meant: didYouMean(key, siblings(parents)),
  })
}

function leaf(setting: Setting, node: ParsedNode | null, place: Place & { readonly offset: number }): Gathered {
  const value: unknown = node?.toJS(place.document) ?? null
  if (value === null) {
    return failed({
      where: place.at(place.offset),
      message: `${setting.path} has no value; remove the line`,
      meant: [],
    })
  }
  const entry: Entry = {
    path: setting.path,
    value,
    origin: { kind: 'file', file: place.file, line: place.findLine(place.offset) },
  }
  return { entries: [entry], problems: [] }
}

/** The keys that are allowed here. */
function siblings(parents: readonly string[]): readonly string[] {
  const prefix = parents.map((parent) => `${parent}.`).join('')
  const keys = settings
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path }) => path.slice(prefix.length).split('.')[0] ?? '')
  return [...new Set(keys)]
}

function failed(problem: Problem): Gathered {
  return { entries: [], problems: [problem] }
}
