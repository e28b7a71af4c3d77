import { DatabaseError } from 'pg'
import { BundleRefusal, whyRefused } from '#/adapters/bundle/bundle-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { classifyFault } from '#/adapters/postgres/connection/pool-fault.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'

/** Thrown inside the adapter for what makes a backup or a store unusable for its purpose. */
export class BackupRefusal extends Error {
  readonly code = 'BACKUP_REFUSED'
  readonly next: string

  constructor(message: string, next: string) {
    super(message)
    this.name = 'BackupRefusal'
    this.next = next
  }
}

const DAMAGED = 'Use another backup: a part of this one would not be the store that was saved.'

export function damaged(what: string): BackupRefusal {
  return new BackupRefusal(`the backup is damaged: ${what}`, DAMAGED)
}

/** A refusal for what the world does; a fault of ours is thrown on. */
export function toRefusal(error: unknown, file: string, signal: AbortSignal): Refusal {
  if (signal.aborted) return refusal('it was stopped; nothing was changed', 'Run it again.')
  if (error instanceof BackupRefusal) return refusal(error.message, error.next)
  if (error instanceof DatabaseError || error instanceof StoreUnavailable) return databaseRefusal(error.message)
  const why = whyRefused(error, signal)
  if (why !== null) {
    const isDamaged = error instanceof BundleRefusal || isZlib(error)
    return refusal(`${file}: ${why}`, isDamaged ? DAMAGED : 'Check the path and the disk.')
  }
  if (error instanceof Error && classifyFault(error) === 'unavailable') return databaseRefusal(error.message)
  throw error
}

function databaseRefusal(why: string): Refusal {
  return refusal(`the database: ${why}`, 'Check that the server runs, and that the user owns the store.')
}

function isZlib(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
