import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import type { Migration } from '#/adapters/postgres/migrate-plan.ts'
import { planMigrations } from '#/adapters/postgres/migrate-plan.ts'
import { BackupRefusal } from './backup-refusal.ts'
import { copyOut } from './copy-out.ts'
import { FORMAT_VERSION, MANIFEST_FILE, partFile, SUMMARY_FILE } from './manifest.ts'
import type { BackupTable, Manifest, Summary, TableContent } from './manifest.ts'
import { measure, measured } from './measured.ts'
import { readSequences, readTables } from './read-catalog.ts'
import { readApplied } from './store-client.ts'
import { storeTables } from './store-tables.ts'
import { inParts, tarEnd, tarFile } from './tar-files.ts'

const PART_BYTES = 4 * 1024 * 1024

export type DumpRequest = {
  readonly client: Client
  readonly serverVersion: string
  readonly signalbox: string
  /** The migrations that this program knows. */
  readonly known: readonly Migration[]
  readonly now: number
  readonly onTable: (table: TableContent) => void
}
export type Dump = {
  readonly manifest: Manifest
  readonly summary: () => Summary
  readonly bytes: AsyncIterable<Uint8Array>
}

/** The store as one moment saw it, as the bytes of a tar. Writers are not held up. */
export async function dumpStore(request: DumpRequest): Promise<Dump> {
  const { client } = request
  await client.query('begin isolation level repeatable read read only')
  const manifest = await describeStore(request)
  let finished: Summary | undefined
  const finish = (summary: Summary) => {
    finished = summary
  }
  const summary = () => {
    if (finished === undefined) throw new Error('the summary of a backup is known at its end')
    return finished
  }
  return { manifest, summary, bytes: tarOf(request, manifest, finish) }
}

async function describeStore(request: DumpRequest): Promise<Manifest> {
  const { client, known } = request
  const applied = await readApplied(client)
  if (applied === null || applied.length === 0) {
    throw new BackupRefusal('there is no store of signalbox in this database', 'Check --data or DATABASE_URL.')
  }
  const plan = planMigrations(known, applied)
  const newest = known.at(-1)?.number ?? 0
  const unknown = applied.find(({ number }) => number > newest)
  if (unknown !== undefined) {
    throw new BackupRefusal(
      `the store was migrated by a newer signalbox (${unknown.name})`,
      'Back it up with that signalbox: this one does not know all of its tables.',
    )
  }
  if (plan.kind === 'refused') throw new BackupRefusal(plan.why, plan.next)
  const names = storeTables(known.slice(0, applied.length))
  return {
    format: 'signalbox-backup',
    version: FORMAT_VERSION,
    signalbox: request.signalbox,
    postgresql: request.serverVersion,
    createdAt: new Date(request.now).toISOString(),
    migrations: [...applied],
    tables: [...(await readTables(client, names))],
  }
}

async function* tarOf(
  request: DumpRequest,
  manifest: Manifest,
  finish: (summary: Summary) => void,
): AsyncGenerator<Uint8Array> {
  const { client, now } = request
  const head = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield* tarFile(MANIFEST_FILE, head, now)
  const tables: TableContent[] = []
  for (const table of manifest.tables) {
    const meter = measure()
    let part = 0
    const rows = measured(copyOut(client, copyStatement(client, table, 'to stdout')), meter.add)
    for await (const content of inParts(rows, PART_BYTES)) {
      part += 1
      yield* tarFile(partFile(table.name, part), content, now)
    }
    const content = { name: table.name, ...meter.result() }
    tables.push(content)
    request.onTable(content)
  }
  const sequences = await readSequences(
    client,
    manifest.tables.map(({ name }) => name),
  )
  await client.query('commit')
  const summary = { manifest: createHash('sha256').update(head).digest('hex'), tables, sequences: [...sequences] }
  yield* tarFile(SUMMARY_FILE, Buffer.from(`${JSON.stringify(summary, null, 2)}\n`), now)
  yield tarEnd()
  finish(summary)
}

/** With the columns by name: a column that is added later gets its default when an old backup is loaded. */
export function copyStatement(client: Client, table: BackupTable, where: 'to stdout' | 'from stdin'): string {
  const columns = table.columns.map(({ name }) => client.escapeIdentifier(name)).join(', ')
  return `copy ${client.escapeIdentifier(table.name)} (${columns}) ${where}`
}
