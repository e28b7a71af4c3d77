import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { lockFolder } from '#/adapters/files/folder-lock.ts'

/** The locks of one embedded server: of the folder that was asked for, and of the data that it leads to. */
export type HeldLocks = {
  readonly take: (folder: string) => Refusal | null
  readonly release: () => void
}

export function heldLocks(): HeldLocks {
  const releases: (() => void)[] = []
  const take = (folder: string): Refusal | null => {
    const lock = lockFolder(folder)
    if (lock.kind === 'locked') {
      releases.push(lock.release)
      return null
    }
    if (lock.kind === 'held') return heldBy(folder, lock.pid)
    return refusal(
      `the data folder ${folder} cannot be locked: ${lock.detail}`,
      'Give a folder on a local disk that belongs to you with --data, or set DATABASE_URL.',
    )
  }
  return { take, release: () => releases.splice(0).forEach((release) => release()) }
}

function heldBy(folder: string, pid: number | null): Refusal {
  const who = pid === null ? 'another signalbox' : `another signalbox (pid ${pid})`
  return refusal(
    `${who} is using the data folder ${folder}`,
    'Stop it first, give this one its own folder with --data, or let both share a PostgreSQL server by DATABASE_URL.',
  )
}
