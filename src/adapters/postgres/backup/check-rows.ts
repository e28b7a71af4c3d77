import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { damaged } from './backup-refusal.ts'
import type { BackupTable } from './manifest.ts'

const [NEWLINE, TAB] = [0x0a, 0x09]
/** PostgreSQL's own limit for one value is 1 GiB. */
const MOST_ROW_BYTES = 1024 * 1024 * 1024
const MOST_PLACES = 10
const NULL_FIELD = String.raw`\N`
/** A bytea in hex that begins as gzip does; the backslash is doubled by `copy`. */
const GZIP_FIELD = String.raw`\\x1f8b`
const HEX_PREFIX_BYTES = 3

export type RowCheck = {
  readonly compressed: number
  readonly documents: number
  /** What was saved as it is, but was unusable before: where it is. */
  readonly unusable: readonly string[]
}

/**
 * Opens every compressed value and parses every document of a table, so that a restored verdict finds its evidence. A row
 * that is not a row is damage; a value that does not open may have been saved so. */
export async function checkRows(table: BackupTable, rows: AsyncIterable<Uint8Array>): Promise<RowCheck> {
  const isBytes = table.columns.map(({ type }) => type === 'bytea')
  const isDocument = table.columns.map(({ type }) => type === 'json' || type === 'jsonb')
  const unusable: string[] = []
  let [compressed, documents, number] = [0, 0, 0]
  for await (const row of splitRows(rows)) {
    number += 1
    const place = `row ${number} of ${table.name}`
    const fields = splitFields(row)
    if (fields.length !== table.columns.length) throw damaged(`${place} has ${fields.length} values`)
    for (const [index, field] of fields.entries()) {
      if (isBytes[index] === true && startsWith(field, GZIP_FIELD)) {
        compressed += 1
        if (!(await opens(field))) unusable.push(`a compressed value in ${place} does not open`)
      }
      if (isDocument[index] === true && !field.equals(Buffer.from(NULL_FIELD))) {
        documents += 1
        if (!isJson(field)) unusable.push(`a document in ${place} is not JSON`)
      }
    }
  }
  return { compressed, documents, unusable: unusable.slice(0, MOST_PLACES) }
}

async function* splitRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...held, chunk.subarray(start, end)])
      held = []
      size = 0
      start = end + 1
    }
    held.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > MOST_ROW_BYTES) throw damaged('a row is too large')
  }
  if (size > 0) throw damaged('the last row of a table is cut')
}

function splitFields(row: Buffer): readonly Buffer[] {
  const fields: Buffer[] = []
  let start = 0
  for (let end = row.indexOf(TAB); end >= 0; end = row.indexOf(TAB, start)) {
    fields.push(row.subarray(start, end))
    start = end + 1
  }
  return [...fields, row.subarray(start)]
}

function startsWith(field: Buffer, prefix: string): boolean {
  return field.subarray(0, prefix.length).equals(Buffer.from(prefix))
}

/** The content is thrown away piece by piece: a small value can expand to a very large one. */
async function opens(field: Buffer): Promise<boolean> {
  const bytes = Buffer.from(field.subarray(HEX_PREFIX_BYTES).toString('latin1'), 'hex')
  const discard = new Writable({ write: (_chunk, _encoding, next) => next() })
  try {
    await pipeline(Readable.from([bytes]), createGunzip(), discard)
    return true
  } catch {
    return false
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

function isJson(field: Buffer): boolean {
  const text = field.toString('utf8').replaceAll(/\\(.)/gsu, (_all, letter: string) => ESCAPES[letter] ?? letter)
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
