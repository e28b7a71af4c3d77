import { lstat, readFile, readdir, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { problemIn } from './source-problem.ts'
import type { SourceProblem } from './source-problem.ts'

export type SourceFile = {
  readonly path: string
  readonly text: string
  readonly changedAt: number
  /** Named on the command line: then unknown content is a problem. Other files of a folder are ignored. */
  readonly isNamed: boolean
}

export type SourceFiles = { readonly files: readonly SourceFile[]; readonly problems: readonly SourceProblem[] }

/** The nodes of a large cluster are about 50 MB of JSON. */
const LARGEST_FILE = 128 * 2 ** 20
const LARGEST_WHOLE = 512 * 2 ** 20
const MOST_FILES = 10_000

const KNOWN_ENDINGS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json'])

type Named = { readonly path: string; readonly isNamed: boolean }

/** Named files; of a folder all YAML and JSON files, but not the templates of a chart. */
export async function readSourceFiles(paths: readonly string[], signal: AbortSignal): Promise<SourceFiles> {
  const problems: SourceProblem[] = []
  const files = new Map<string, SourceFile>()
  let bytes = 0
  for await (const { path, isNamed } of listFiles(paths, problems, signal)) {
    if (files.has(path)) continue
    if (files.size >= MOST_FILES || bytes > LARGEST_WHOLE) {
      problems.push(problemIn(path, `not read: more than ${MOST_FILES} files or ${LARGEST_WHOLE} bytes`))
      break
    }
    const read = await readOne(path)
    if ('why' in read) problems.push(read)
    else {
      bytes += read.text.length
      files.set(path, { ...read, isNamed })
    }
  }
  return { files: [...files.values()], problems }
}

async function readOne(path: string): Promise<Omit<SourceFile, 'isNamed'> | SourceProblem> {
  try {
    const { size, mtimeMs } = await stat(path).then((found) => (found.isFile() ? found : NO_FILE))
    if (size > LARGEST_FILE) return problemIn(path, `it is larger than ${LARGEST_FILE} bytes`)
    if (size >= 0) return { path, text: await readFile(path, 'utf8'), changedAt: mtimeMs }
    const read = await readSmallFile(path, LARGEST_PIPE)
    if (read.kind === 'read') return { path, text: read.text, changedAt: 0 }
    return problemIn(path, read.kind === 'absent' ? ABSENT : `it ${read.why}`)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return problemIn(path, code === 'ENOENT' ? ABSENT : `it cannot be read (${code})`)
  }
}

const ABSENT = 'no such file or folder'

/** A pipe under /dev/fd: size and age are unknown. */
const NO_FILE = { size: -1, mtimeMs: 0 }
const LARGEST_PIPE = 32 * 2 ** 20

async function* listFiles(
  paths: readonly string[],
  problems: SourceProblem[],
  signal: AbortSignal,
): AsyncGenerator<Named> {
  for (const path of paths) {
    signal.throwIfAborted()
    if (await isFolder(path)) yield* walk(path, problems, signal)
    else yield { path, isNamed: true }
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

async function* walk(folder: string, problems: SourceProblem[], signal: AbortSignal): AsyncGenerator<Named> {
  signal.throwIfAborted()
  const entries = await listEntries(folder, problems)
  const isChart = entries.some(({ name }) => name === 'Chart.yaml')
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      const isSkipped =
        entry.name.startsWith('.') || entry.name === 'node_modules' || (isChart && entry.name === 'templates')
      if (!isSkipped) yield* walk(path, problems, signal)
    } else if (entry.isFile() && KNOWN_ENDINGS.has(extname(entry.name)) && (await isNotEmpty(path))) {
      yield { path, isNamed: false }
    }
  }
}

async function listEntries(folder: string, problems: SourceProblem[]) {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    problems.push(problemIn(folder, `its files cannot be listed (${code})`))
    return []
  }
}

async function isNotEmpty(path: string): Promise<boolean> {
  return (await lstat(path)).size > 0
}

/** The likely Helm release name: people name the file or its folder after it. */
export function guessRelease(path: string): string {
  const stem = basename(path, extname(path)).replace(/^values[-_.]|[-_.]values$/, '')
  const name = stem === 'values' || stem === '' ? basename(join(path, '..')) : stem
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'release'
  )
}
