import type { Client } from 'pg'
import { DatabaseError } from 'pg'
import { BackupRefusal, damaged } from './backup-refusal.ts'
import { copyIn } from './copy-in.ts'
import { copyStatement } from './dump-store.ts'
import type { Manifest, Summary } from './manifest.ts'
import { readBackup } from './read-backup.ts'
import type { ReadBackup } from './read-backup.ts'

export type LoadRequest = {
  readonly client: Client
  /** The tar of a backup whose schema the database has, empty. */
  readonly tar: AsyncIterable<Uint8Array>
  readonly onTable: (name: string) => void
}

/** Everything or nothing: the rows appear together, after the last checksum was right. */
export async function loadStore(request: LoadRequest): Promise<ReadBackup> {
  const { client } = request
  await client.query('begin')
  try {
    const read = await readBackup(request.tar, {
      manifest: async (manifest) => await triggers(client, manifest, 'disable'),
      table: async (table, rows) => {
        request.onTable(table.name)
        await copyIn(client, copyStatement(client, table, 'from stdin'), rows)
      },
    })
    await countRows(client, read.summary)
    await triggers(client, read.manifest, 'enable')
    await setSequences(client, read.summary)
    await client.query('commit')
    return read
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw explain(error)
  }
}

/** What a trigger would add when a row appears is in the backup already. */
async function triggers(client: Client, { tables }: Manifest, what: 'disable' | 'enable'): Promise<void> {
  for (const { name } of tables) await client.query(`alter table ${client.escapeIdentifier(name)} ${what} trigger user`)
}

async function countRows(client: Client, { tables }: Summary): Promise<void> {
  for (const { name, rows } of tables) {
    const counted = await client.query<{ count: string }>(`select count(*) from ${client.escapeIdentifier(name)}`)
    if (Number(counted.rows[0]?.count) !== rows) throw damaged(`the rows of ${name} did not all arrive`)
  }
}

async function setSequences(client: Client, { sequences }: Summary): Promise<void> {
  for (const { name, value, called } of sequences) {
    await client.query('select setval(to_regclass($1), $2::bigint, $3)', [client.escapeIdentifier(name), value, called])
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  const place = error.table === undefined ? '' : ` (table ${error.table})`
  return new BackupRefusal(
    `PostgreSQL did not take the rows${place}, and none of them was kept: ${error.message}`,
    'Check that the user owns the database and that the disk has space; then run it again.',
  )
}
