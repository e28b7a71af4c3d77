import { ownPackage } from '#/adapters/files/own-package.ts'
import type { DatabaseRequest } from '#/adapters/postgres/database.ts'
import { migrationsFolder, readMigrations } from '#/adapters/postgres/migrate-folder.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { toRefusal } from './backup-refusal.ts'
import { dumpStore } from './dump-store.ts'
import type { Manifest, Summary, TableContent } from './manifest.ts'
import { openToRead } from './open-place.ts'
import { withStoreClient } from './store-client.ts'
import { writeBackup } from './write-backup.ts'
import type { BackupTarget } from './write-backup.ts'

export type BackupRequest = DatabaseRequest & {
  readonly target: BackupTarget
  readonly onTable: (table: TableContent) => void
}
export type BackupOutcome =
  | { readonly kind: 'written'; readonly bytes: number; readonly manifest: Manifest; readonly summary: Summary }
  | Refusal

/** One file with the store as it was at one moment; `serve` may go on writing meanwhile. */
export async function backupStore(request: BackupRequest): Promise<BackupOutcome> {
  const { signal, clock, target } = request
  const path = target.kind === 'file' ? target.path : 'stdout'
  try {
    const known = await readMigrations(migrationsFolder())
    const place = await openToRead(request)
    try {
      return await withStoreClient({ ...place, signal }, async (client, serverVersion) => {
        const signalbox = ownPackage().version
        const { onTable } = request
        const dump = await dumpStore({ client, serverVersion, signalbox, known, now: clock.now(), onTable })
        const bytes = await writeBackup(target, dump.bytes, signal)
        return { kind: 'written', bytes, manifest: dump.manifest, summary: dump.summary() }
      })
    } finally {
      await place.close()
    }
  } catch (error) {
    return toRefusal(error, path, signal)
  }
}
