import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import { toLedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { readLedgerDocument } from '#/core/ledger/read-ledger-document.ts'

/**
 * Every write of the ledger is one line: the whole row as it is from then on. A line counts once its line feed is there. What
 * a crash left of the last one was promised to nobody.
 */
export type Journal = {
  readonly rows: ReadonlyMap<number, LedgerRow>
  /** Of the lines that count. */
  readonly bytes: number
}

export type JournalReading =
  | ({ readonly kind: 'read' } & Journal)
  | { readonly kind: 'unreadable'; readonly why: string }

const SCHEMA_VERSION = 1
/** All of it is held in memory. */
const MOST_BYTES = 256 * 1024 * 1024
const LINE_FEED = 0x0a

export function journalPath(folder: string): string {
  return join(folder, 'ledger.jsonl')
}

export function printLine(row: LedgerRow): string {
  return `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...toLedgerDocument(row) })}\n`
}

/** An absent file is an empty journal. */
export async function readJournal(folder: string): Promise<JournalReading> {
  const path = journalPath(folder)
  const content = await contentOf(path)
  if (typeof content === 'string') return { kind: 'unreadable', why: `${path}: ${content}` }
  const rows = new Map<number, LedgerRow>()
  let bytes = 0
  for (let line = 1; ; line += 1) {
    const end = content.indexOf(LINE_FEED, bytes)
    if (end === -1) return { kind: 'read', rows, bytes }
    const read = parseLine(content.toString('utf8', bytes, end), rows)
    // Blocks of the last write may reach the disk in any order.
    if (read.kind === 'torn' && end === content.length - 1) return { kind: 'read', rows, bytes }
    if (read.kind !== 'row') return { kind: 'unreadable', why: `${path}: line ${line} ${read.why}` }
    rows.set(read.row.id, read.row)
    bytes = end + 1
  }
}

async function contentOf(path: string): Promise<Buffer | string> {
  try {
    const { size } = await stat(path)
    return size > MOST_BYTES ? `it has more than ${MOST_BYTES} bytes: begin another folder` : await readFile(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? Buffer.alloc(0) : message
  }
}

type LineReading =
  | { readonly kind: 'row'; readonly row: LedgerRow }
  | { readonly kind: 'torn' | 'wrong'; readonly why: string }

function parseLine(text: string, rows: Journal['rows']): LineReading {
  const reading = parseJson(text)
  if (reading.kind !== 'parsed' || !isJsonObject(reading.value)) return { kind: 'torn', why: 'is damaged' }
  const { schemaVersion, ...document } = reading.value
  if (schemaVersion !== SCHEMA_VERSION) return { kind: 'wrong', why: 'is of another version of signalbox' }
  const row = readLedgerDocument(document)
  if (row === null) return { kind: 'wrong', why: 'is not a row of the ledger' }
  return isForward(rows.get(row.id), row) ? { kind: 'row', row } : { kind: 'wrong', why: 'changes what had ended' }
}

/** A row only moves forward, from `planned` by steps to one end. */
function isForward(former: LedgerRow | undefined, row: LedgerRow): boolean {
  if (former === undefined) return row.steps.length === 1
  return former.outcome === 'planned' && row.steps.length === former.steps.length + 1
}
