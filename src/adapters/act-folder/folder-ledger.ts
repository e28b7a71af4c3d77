import { access, mkdir, open, readdir } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { lockFolder } from '#/adapters/files/folder-lock.ts'
import { syncFolder } from '#/adapters/files/sync-folder.ts'
import { onStorable } from '#/adapters/storable/storable.ts'
import { endedRow } from '#/core/ledger/attempt.ts'
import type { UnstoredRow } from '#/core/ledger/attempt.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Fenced, Ledger } from '#/ports/store/ledger.ts'
import { moveOn, planOn, selectRows } from '#/ports/store/ledger-rows.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { journalPath, printLine, readJournal } from './journal.ts'
import type { Journal } from './journal.ts'

export type FolderLedger = AsyncDisposable & { readonly ledger: Ledger }

export type FolderOpening =
  | { readonly kind: 'opened'; readonly opened: FolderLedger }
  /** `pid` of the process that has it, where that is known. */
  | { readonly kind: 'held'; readonly pid: number | null }
  | { readonly kind: 'refused'; readonly why: string }

/** A ledger for one process at a time. It is durable when a write resolves; what a crash left half written is cut off. */
export async function openFolderLedger(folder: string): Promise<FolderOpening> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    return { kind: 'refused', why: String(error) }
  }
  const lock = lockFolder(folder)
  if (lock.kind === 'held') return lock
  if (lock.kind === 'failed') return { kind: 'refused', why: lock.detail }
  try {
    const journal = await readJournal(folder)
    if (journal.kind === 'read') return { kind: 'opened', opened: await takeUp(folder, journal, lock.release) }
    lock.release()
    return { kind: 'refused', why: journal.why }
  } catch (error) {
    lock.release()
    return { kind: 'refused', why: String(error) }
  }
}

/** Evidence is named by its attempt: where the journal was moved away, its numbers are still used. */
async function findLastId(folder: string, rows: Journal['rows']): Promise<number> {
  const kept = (await readdir(folder)).flatMap((name) => EVIDENCE.exec(name)?.[1] ?? []).map(Number)
  return [...rows.keys(), ...kept].reduce((last, id) => Math.max(last, id), 0)
}

const EVIDENCE = /^attempt-(\d{1,15})\.tar\.gz$/u

async function takeUp(folder: string, { rows, bytes }: Journal, release: () => void): Promise<FolderLedger> {
  const lastId = await findLastId(folder, rows)
  const file = await open(journalPath(folder), 'a', 0o600)
  try {
    await file.truncate(bytes)
    await file.sync()
    await syncFolder(folder)
  } catch (error) {
    await file.close()
    throw error
  }
  return {
    ledger: onStorable(createLedger(new Map(rows), lastId, createAppender(file))),
    [Symbol.asyncDispose]: async () => {
      await file.close()
      release()
    },
  }
}

type Append = (line: string) => Promise<void>

/** After a failed write nobody knows how much of it is in the file, so nothing may come behind it. */
function createAppender(file: FileHandle): Append {
  let failure: StoreUnavailable | null = null
  return async (line) => {
    if (failure !== null) throw failure
    try {
      await file.appendFile(line)
      await file.datasync()
    } catch (error) {
      failure = new StoreUnavailable(`the ledger cannot be written: ${String(error)}`)
      throw failure
    }
  }
}

/** No leader writes here. */
const UNKNOWN_EPOCH: Fenced = { kind: 'fenced', epoch: null }

function createLedger(rows: Map<number, LedgerRow>, usedId: number, append: Append): Ledger {
  let turn: Promise<unknown> = Promise.resolve()
  let lastId = usedId
  /** One write after the other: each decides by the rows that the one before has left. */
  const inTurn = <A>(epoch: number | null, write: () => Promise<A>): Promise<A | Fenced> => {
    if (epoch !== null) return Promise.resolve(UNKNOWN_EPOCH)
    const next = turn.then(write, write)
    turn = next.catch(() => undefined)
    return next
  }
  const put = async (row: LedgerRow): Promise<LedgerRow> => {
    await append(printLine(row))
    rows.set(row.id, row)
    return row
  }
  const insert = (row: UnstoredRow): Promise<LedgerRow> => {
    lastId += 1
    return put({ ...row, id: lastId })
  }
  const move: Ledger['advance'] & Ledger['end'] = (handle, written) =>
    inTurn(written.epoch, async () => {
      const moved = moveOn(rows.get(handle.id), handle, written)
      return moved.kind === 'stale' ? moved : ({ kind: 'moved', row: await put(moved.row) } as const)
    })
  return {
    begin: (attempt) =>
      inTurn(attempt.epoch, async () => {
        const planned = planOn([...rows.values()], attempt)
        if (planned.kind === 'taken') return planned
        const row = await insert(planned.row)
        return { kind: row.outcome === 'planned' ? 'planned' : 'refused', row } as const
      }),
    advance: move,
    end: move,
    record: (attempt) =>
      inTurn(attempt.epoch, async () => ({ kind: 'recorded', row: await insert(endedRow(attempt)) }) as const),
    list: async (filter) => selectRows([...rows.values()], filter),
  }
}

export type FolderRows =
  | { readonly kind: 'read'; readonly list: Ledger['list'] }
  | { readonly kind: 'unreadable'; readonly why: string }

/** To look at while another process may be writing. */
export async function readFolderLedger(folder: string): Promise<FolderRows> {
  const isThere = await access(journalPath(folder)).then(
    () => true,
    () => false,
  )
  if (!isThere) return { kind: 'unreadable', why: `there is no ledger in ${folder}` }
  const journal = await readJournal(folder)
  if (journal.kind === 'unreadable') return journal
  const rows = [...journal.rows.values()]
  return { kind: 'read', list: async (filter) => selectRows(rows, filter) }
}
