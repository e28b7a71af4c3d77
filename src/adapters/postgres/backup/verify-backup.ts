import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { migrationsFolder, readMigrations } from '#/adapters/postgres/migrate-folder.ts'
import type { Migration } from '#/adapters/postgres/migrate-plan.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { BackupRefusal, toRefusal } from './backup-refusal.ts'
import { checkRows } from './check-rows.ts'
import type { Manifest } from './manifest.ts'
import { readBackup } from './read-backup.ts'
import type { ReadBackup } from './read-backup.ts'

export type VerifyRequest = {
  readonly path: string
  readonly onTable: (name: string) => void
  readonly signal: AbortSignal
}
export type Verified = ReadBackup & {
  readonly kind: 'verified'
  /** How many compressed values were opened and documents parsed. */
  readonly compressed: number
  readonly documents: number
  /** Values that were saved unusable, and where. The rows are those of the store all the same. */
  readonly unusable: readonly string[]
}

/** Whether a backup is complete, undamaged, readable to the last piece of evidence, and of a schema that we know. */
export async function verifyBackup(request: VerifyRequest): Promise<Verified | Refusal> {
  const { path, signal } = request
  try {
    const known = await readMigrations(migrationsFolder())
    let [compressed, documents] = [0, 0]
    const unusable: string[] = []
    const read = await readFileTar(path, signal, async (tar) =>
      readBackup(tar, {
        manifest: async (manifest) => judgeSchema(manifest, known),
        table: async (table, rows) => {
          request.onTable(table.name)
          const check = await checkRows(table, rows)
          compressed += check.compressed
          documents += check.documents
          unusable.push(...check.unusable)
        },
      }),
    )
    return { kind: 'verified', ...read, compressed, documents, unusable }
  } catch (error) {
    return toRefusal(error, path, signal)
  }
}

/** The unpacked bytes of a backup. The reader must read to the end: the checksum of gzip is there. */
export async function readFileTar<T>(
  path: string,
  signal: AbortSignal,
  read: (tar: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  return await pipeline(createReadStream(path), createGunzip(), read, { signal })
}

/** An older schema can be loaded and migrated; one that this program has never seen cannot. */
export function judgeSchema(
  { migrations, signalbox }: Pick<Manifest, 'migrations' | 'signalbox'>,
  known: readonly Migration[],
): void {
  for (const [index, migration] of migrations.entries()) {
    const own = known[index]
    if (own === undefined) {
      throw new BackupRefusal(
        `the backup is from a newer signalbox (${signalbox}, with ${migration.name})`,
        'Use a signalbox that is at least as new as the one that wrote it.',
      )
    }
    if (own.number !== migration.number || own.sha256 !== migration.sha256) {
      throw new BackupRefusal(
        `the schema of the backup differs from ours in ${migration.name}`,
        'Use the release of signalbox that wrote it, or a newer release.',
      )
    }
  }
}
