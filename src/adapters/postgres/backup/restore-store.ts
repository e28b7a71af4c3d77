import type { Client } from 'pg'
import type { DatabaseRequest } from '#/adapters/postgres/database.ts'
import { migrationsFolder, readMigrations } from '#/adapters/postgres/migrate-folder.ts'
import type { Migration } from '#/adapters/postgres/migrate-plan.ts'
import { migrate } from '#/adapters/postgres/migrate.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { BackupRefusal, toRefusal } from './backup-refusal.ts'
import { loadStore } from './load-store.ts'
import { openToWrite } from './open-place.ts'
import { readApplied, withStoreClient } from './store-client.ts'
import { storeTables } from './store-tables.ts'
import { readFileTar, verifyBackup } from './verify-backup.ts'
import type { Verified } from './verify-backup.ts'

export type RestoreRequest = DatabaseRequest & {
  readonly path: string
  readonly onTable: (step: 'checking' | 'loading', name: string) => void
}
export type RestoreOutcome =
  | { readonly kind: 'restored'; readonly backup: Verified; readonly migrated: readonly string[] }
  | Refusal

/**
 * Loads a backup into an empty store. The whole file is checked before anything is touched; its rows are loaded into the
 * schema that they were saved with, and the newer migrations then change them as they would have changed the original.
 */
export async function restoreStore(request: RestoreRequest): Promise<RestoreOutcome> {
  const { path, signal } = request
  const backup = await verifyBackup({ path, signal, onTable: (name) => request.onTable('checking', name) })
  if (backup.kind === 'refused') return backup
  try {
    const known = await readMigrations(migrationsFolder())
    const place = await openToWrite(request)
    try {
      const { connectionString } = place
      await withStoreClient({ connectionString, signal }, async (client) => {
        await refuseUsedStore(client, known, backup)
        await bringTo(connectionString, request, backup.manifest.migrations.length)
        const onTable = (name: string) => request.onTable('loading', name)
        await readFileTar(path, signal, async (tar) => await loadStore({ client, tar, onTable }))
      })
      return { kind: 'restored', backup, migrated: await bringTo(connectionString, request) }
    } finally {
      await place.close()
    }
  } catch (error) {
    return toRefusal(error, path, signal)
  }
}

/** Rows that are there already would be mixed with those of the backup. */
async function refuseUsedStore(client: Client, known: readonly Migration[], backup: Verified): Promise<void> {
  const applied = await readApplied(client)
  if (applied === null) return
  const next = 'Give a folder that does not exist yet with --data, or an empty database with --database-url.'
  if (applied.length > backup.manifest.migrations.length) {
    throw new BackupRefusal('the store has a newer schema than the backup', next)
  }
  for (const name of storeTables(known.slice(0, applied.length))) {
    const { rows } = await client.query<{ used: boolean }>(
      `select exists (select from ${client.escapeIdentifier(name)}) as used`,
    )
    if (rows[0]?.used === true) throw new BackupRefusal(`the store is not empty: the table ${name} has rows`, next)
  }
}

/** Applies our migrations up to a number, or all of them. Answers their names. */
async function bringTo(
  connectionString: string,
  request: RestoreRequest,
  through?: number,
): Promise<readonly string[]> {
  const { clock, signal } = request
  const pool = openPool({ connectionString, maxConnections: 1 })
  try {
    const limit = through === undefined ? {} : { through }
    const outcome = await migrate({ pool, folder: migrationsFolder(), clock, signal, ...limit })
    if (outcome.kind === 'refused') throw new BackupRefusal(outcome.why, outcome.next)
    return outcome.applied
  } finally {
    await pool.end()
  }
}
