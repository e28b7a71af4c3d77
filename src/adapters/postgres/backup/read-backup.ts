import { createHash } from 'node:crypto'
import { z } from 'zod'
import { readTar } from '#/adapters/bundle/read-tar.ts'
import type { TarEntry } from '#/adapters/bundle/read-tar.ts'
import { BackupRefusal, damaged } from './backup-refusal.ts'
import { FORMAT_VERSION, MANIFEST_FILE, manifestSchema, partFile, SUMMARY_FILE, summarySchema } from './manifest.ts'
import type { BackupTable, Manifest, Summary, TableContent } from './manifest.ts'
import { measure, measured } from './measured.ts'

const MOST_DOCUMENT_BYTES = 8 * 1024 * 1024

/** What is done with a backup while it is read. A table's rows must be read to their end, or not at all. */
export type BackupVisitor = {
  readonly manifest: (manifest: Manifest) => Promise<void>
  readonly table: (table: BackupTable, rows: AsyncIterable<Uint8Array>) => Promise<void>
}

export type ReadBackup = { readonly manifest: Manifest; readonly summary: Summary }

/** Reads a backup once, from its tar. It is complete and undamaged when this returns; until then, nothing of it is trusted. */
export async function readBackup(tar: AsyncIterable<Uint8Array>, visitor: BackupVisitor): Promise<ReadBackup> {
  const entries = readTar(tar)
  const pages = { current: await nextEntry(entries), advance: async () => await nextEntry(entries) }
  const head = await readDocument(expectEntry(pages.current, MANIFEST_FILE))
  const manifest = parseManifest(head)
  await visitor.manifest(manifest)
  pages.current = await pages.advance()
  const contents: TableContent[] = []
  for (const table of manifest.tables) {
    const meter = measure()
    const rows = measured(tableRows(pages, table.name), meter.add)
    await visitor.table(table, rows)
    for await (const _ of rows);
    contents.push({ name: table.name, ...meter.result() })
  }
  const summary = parseDocument(
    SUMMARY_FILE,
    summarySchema,
    await readDocument(expectEntry(pages.current, SUMMARY_FILE)),
  )
  if ((await pages.advance()) !== null) throw damaged('there is something after its end')
  if (summary.manifest !== createHash('sha256').update(head).digest('hex')) throw damaged('manifest.json was changed')
  compareContents(contents, summary)
  return { manifest, summary }
}

type Pages = { current: TarEntry | null; readonly advance: () => Promise<TarEntry | null> }

async function nextEntry(entries: AsyncGenerator<TarEntry>): Promise<TarEntry | null> {
  const next = await entries.next()
  return next.done === true ? null : next.value
}

function expectEntry(entry: TarEntry | null, path: string): TarEntry {
  if (entry?.path === path) return entry
  if (path === MANIFEST_FILE) {
    throw new BackupRefusal('this is no backup of signalbox', 'Give a file that `signalbox store backup` wrote.')
  }
  throw damaged(entry === null ? `${path} is missing` : `${entry.path.slice(0, 200)} is where ${path} belongs`)
}

async function* tableRows(pages: Pages, table: string): AsyncGenerator<Uint8Array> {
  for (let part = 1; pages.current?.path === partFile(table, part); part += 1) {
    yield* pages.current.body
    pages.current = await pages.advance()
  }
}

async function readDocument(entry: TarEntry): Promise<Buffer> {
  if (entry.size > MOST_DOCUMENT_BYTES) throw damaged(`${entry.path} is too large`)
  const pieces: Uint8Array[] = []
  for await (const piece of entry.body) pieces.push(piece)
  return Buffer.concat(pieces)
}

function parseManifest(bytes: Buffer): Manifest {
  const loose = z.object({ format: z.literal('signalbox-backup'), version: z.int().positive() })
  const { version } = parseDocument(MANIFEST_FILE, loose, bytes)
  if (version > FORMAT_VERSION) {
    throw new BackupRefusal(
      `the backup has format ${version}, and this signalbox reads up to ${FORMAT_VERSION}`,
      'Use a signalbox that is at least as new as the one that wrote it.',
    )
  }
  return parseDocument(MANIFEST_FILE, manifestSchema, bytes)
}

function parseDocument<T>(path: string, schema: z.ZodType<T>, bytes: Buffer): T {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    throw damaged(`${path} cannot be understood`)
  }
}

function compareContents(read: readonly TableContent[], summary: Summary): void {
  if (read.length !== summary.tables.length) throw damaged('its tables are not those of its summary')
  for (const [index, content] of read.entries()) {
    const expected = summary.tables[index]
    if (expected?.name !== content.name) throw damaged('its tables are not those of its summary')
    if (expected.rows !== content.rows || expected.sha256 !== content.sha256 || expected.bytes !== content.bytes) {
      throw damaged(`the rows of ${content.name} are not those that were saved (checksum)`)
    }
  }
}
