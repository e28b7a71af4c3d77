import type { Files } from '#test/bundles/mutate-files.ts'
import type { MetaSources } from './blindness-fleet.ts'
import { withMeta } from './blindness-fleet.ts'
import { readText, withFile } from './fleet-files.ts'

/** The files of a source, by its name in the contract. */
export function listFiles(files: Files, source: string): readonly string[] {
  return [...files.keys()].filter((name) => name.startsWith(`${source}/`) || name.replace(/\.\w+$/, '') === source)
}

/** Replaces the meta entry of the source and of its parts. */
function answered(files: Files, source: string, answer: MetaSources): Files {
  return withMeta(files, (sources) => ({
    ...Object.fromEntries(
      Object.entries(sources).filter(([name]) => name !== source && !name.startsWith(`${source}/`)),
    ),
    [source]: answer,
  }))
}

export function forbidden(files: Files, source: string): Files {
  return answered(files, source, { ok: false, reason: '403' })
}

/** The source was never requested: no files, and no word about it. */
export function absent(files: Files, source: string): Files {
  const own = new Set(listFiles(files, source))
  const left = new Map([...files].filter(([name]) => !own.has(name)))
  const isOfSource = (name: string): boolean => name === source || name.startsWith(`${source}/`)
  return withMeta(left, (sources) => Object.fromEntries(Object.entries(sources).filter(([name]) => !isOfSource(name))))
}

const BY_FILES = new Set(['logs', 'host', 'journal', 'github/jobs', 'github/logs', 'github/annotations'])

/**
 * The file is gone, and the bundle still says that the source was read. Null for a source of many files: how many there were
 * is written nowhere, so one that lost them looks like one that had none.
 */
export function removed(files: Files, source: string): Files | null {
  if (BY_FILES.has(source) || source === 'processes') return null
  const own = new Set(listFiles(files, source))
  return new Map([...files].filter(([name]) => !own.has(name)))
}

/** The source was read and is empty: no rows, no text, no files. */
export function emptied(files: Files, source: string): Files {
  const own = new Set(listFiles(files, source))
  const isByFiles = BY_FILES.has(source)
  const left = [...files].filter(([name]) => !isByFiles || !own.has(name))
  const empty = left.map(
    ([name, bytes]) => [name, own.has(name) ? Buffer.from(emptyFile(source, name)) : bytes] as const,
  )
  return answered(new Map(empty), source, { ok: true })
}

function emptyFile(source: string, name: string): string {
  if (name.endsWith('.jsonl') || !name.endsWith('.json')) return ''
  if (/^kubernetes\/(?:stats|configz)$/.test(source) || source === 'github/rate-limit') return '{}'
  return source.startsWith('kubernetes/') ? '{"apiVersion":"v1","kind":"List","items":[]}' : '[]'
}

export function truncated(files: Files, source: string): Files {
  return listFiles(files, source).reduce((now, name) => withFile(now, name, cut(name, readText(now, name))), files)
}

/** Cuts a document in the middle, a log in the middle of its last line, a config file inside its last bracket or string. */
function cut(name: string, text: string): string {
  if (name.startsWith('host/')) return text.slice(0, Math.floor(text.length / 2) - 1)
  if (/\.(?:toml|yaml)$/.test(name))
    return text.slice(0, 1 + Math.max(...['{', '[', '= "'].map((mark) => text.lastIndexOf(mark))))
  if (!/\.(?:log|jsonl)$/.test(name)) return text.slice(0, Math.floor(text.length / 2))
  const start = text.lastIndexOf('\n', text.length - 2) + 1
  return text.slice(0, start + Math.floor((text.length - start) / 2))
}

const COUNTED: Readonly<Record<string, string>> = {
  'github/runners': 'runners',
  'github/queued-jobs': 'jobs',
  'gitlab/runners': 'runners',
}

/** A list with a missing page; null for a source without a row count. */
export function paged(files: Files, source: string): Files | null {
  const key = COUNTED[source]
  if (key === undefined) return null
  const name = `${source}.json`
  const document = JSON.parse(readText(files, name) || '[]') as readonly unknown[] | Readonly<Record<string, unknown>>
  const rows = Array.isArray(document) ? document : (document as Readonly<Record<string, unknown>>)[key]
  const count = Array.isArray(rows) ? rows.length : 0
  return withFile(files, name, JSON.stringify({ total_count: count + 1, [key]: rows }))
}
