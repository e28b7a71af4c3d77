import { accessSync, chownSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/** A lock whose holder forgets it must not be freed by the garbage collector while the process goes on. */
const held = new Set<DatabaseSync>()

export type FolderLock =
  | { readonly kind: 'locked'; readonly release: () => void }
  | { readonly kind: 'held'; readonly pid: number | null }
  | { readonly kind: 'failed'; readonly detail: string }

/**
 * One holder per folder. Node has no file locks of its own; SQLite's are the kernel's, so that a holder that is killed
 * leaves nothing to clean up, and a process number that is used again cannot be mistaken for the holder.
 * The number in the file beside it is only for people.
 */
export function lockFolder(folder: string): FolderLock {
  const lockFile = join(folder, 'lock')
  const pidFile = join(folder, 'lock.pid')
  let database: DatabaseSync | undefined
  try {
    // SQLite would only say that it is unable to open a file, not why.
    accessSync(folder, constants.W_OK | constants.X_OK)
    database = new DatabaseSync(lockFile, { timeout: 0 })
    // Nothing is ever written to it, so there is no journal to keep beside it.
    database.exec('pragma journal_mode = memory; begin exclusive')
    writeFileSync(pidFile, `${process.pid}\n`)
    leaveToOwner(folder, [lockFile, pidFile])
  } catch (error) {
    database?.close()
    return isBusy(error) ? { kind: 'held', pid: readPid(pidFile) } : { kind: 'failed', detail: String(error) }
  }
  const lock = database
  held.add(lock)
  return { kind: 'locked', release: () => void (held.delete(lock) && lock.close()) }
}

/** What root locks once, the owner of the folder must be able to lock again. */
function leaveToOwner(folder: string, files: readonly string[]): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  for (const file of files) chownSync(file, uid, gid)
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

function readPid(file: string): number | null {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || null
  } catch {
    return null
  }
}
