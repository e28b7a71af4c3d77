import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { migrationsFolder } from '#/adapters/postgres/migrate-folder.ts'
import { migrate } from '#/adapters/postgres/migrate.ts'
import { ask } from '#test/postgres/ask.ts'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { emptyDatabase, testDatabase } from '#test/postgres/test-database.ts'
import { backupStore } from './backup-store.ts'
import type { BackupRequest } from './backup-store.ts'
import { restoreStore } from './restore-store.ts'
import { verifyBackup } from './verify-backup.ts'

const source = await testDatabase()
const target = await emptyDatabase()
const oldSource = await emptyDatabase()
const oldTarget = await emptyDatabase()
const untouched = await emptyDatabase()

const PATIENCE_MS = 120_000
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-test-backup-'))
  await fill(source.connectionString)
}, PATIENCE_MS)
afterAll(async () => await rm(folder, { recursive: true }))

/** What a dump has to carry unchanged: every kind of character, a value larger than a part, nulls and a used sequence. */
const AWKWARD = 'tab\\there "quoted" back\\\\slash \\\\N äß漢字 🙂'
const LARGE = gzipSync(randomBytes(5 * 1024 * 1024)).toString('hex')

const LEDGER = `insert into ledger (at, act, subject_kind, subject_name, command, actor, outcome, gates, ended_at, run, places, steps)`

async function fill(connectionString: string): Promise<void> {
  await ask(
    connectionString,
    `insert into postmortems (uid, namespace, pod, died_at, recorded_at) values ('u1', E'${AWKWARD}', 'p1', 1, 2), ('u2', 'n', 'p2', 3, 4)`,
    `insert into evidence (uid, source, observed, content) values ('u1', 'journal', 'seen', '\\x${gzipSync('a line').toString('hex')}'),
       ('u1', 'logs', 'seen', '\\x${LARGE}'), ('u2', 'logs', 'blind', null)`,
    `${LEDGER} select n, 'delete', 'Pod', E'${AWKWARD}', 'reap', 'me', 'done', '{"a": "b\\\\n"}', n, 'r', 1, '[]' from generate_series(1, 3) n`,
  )
}

const signal = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS)
const means = { clock: systemClock, notice: () => undefined }

function request(databaseUrl: string, path: string): BackupRequest {
  return {
    ...means,
    place: { databaseUrl },
    target: { kind: 'file', path },
    onTable: () => undefined,
    signal: signal(),
  }
}

async function save(databaseUrl: string, name: string): Promise<string> {
  const path = join(folder, name)
  const outcome = await backupStore(request(databaseUrl, path))
  if (outcome.kind === 'refused') throw new Error(`${outcome.why}\n${outcome.next}`)
  return path
}

async function restore(path: string, databaseUrl: string) {
  return await restoreStore({ ...means, place: { databaseUrl }, path, onTable: () => undefined, signal: signal() })
}

const verify = async (path: string) => await verifyBackup({ path, onTable: () => undefined, signal: signal() })

async function contents(connectionString: string): Promise<readonly unknown[]> {
  const tables = (await ask(
    connectionString,
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'signalbox_migrations' order by 1`,
  )) as readonly { readonly name: string }[]
  const questions = tables.map(async ({ name }) => [
    name,
    await ask(connectionString, `select md5(t::text) as row from ${name} t order by 1`),
  ])
  return await Promise.all(questions)
}

describe('a backup', { timeout: 180_000 }, () => {
  it('brings every row to another database, and the numbers go on after the last one', async () => {
    const path = await save(source.connectionString, 'whole.tar.gz')
    expect(await verify(path)).toMatchObject({ kind: 'verified', compressed: 2, documents: 6 })
    expect(await restore(path, target.connectionString)).toMatchObject({ kind: 'restored', migrated: [] })
    expect(await contents(target.connectionString)).toEqual(await contents(source.connectionString))
    const added = `${LEDGER} values (4, 'a', 'Pod', 's', 'reap', 'me', 'done', '{}', 4, 'r', 1, '[]') returning id`
    expect(await ask(target.connectionString, added)).toEqual([{ id: '4' }])
    await expect(ask(target.connectionString, 'delete from ledger')).rejects.toThrow('append-only')
  })

  it('is of one moment, whatever is written meanwhile', async () => {
    const path = join(folder, 'moment.tar.gz')
    const late = `insert into evidence (uid, source, observed) values ('u2', 'late', 'none')`
    let wrote: Promise<unknown> | undefined
    const onTable = () => {
      wrote ??= ask(source.connectionString, late)
    }
    const outcome = await backupStore({ ...request(source.connectionString, path), onTable })
    await wrote
    await ask(source.connectionString, `delete from evidence where source = 'late'`)
    expect(outcome.kind === 'written' && outcome.summary.tables.find(({ name }) => name === 'evidence')).toMatchObject({
      rows: 3,
    })
  })

  it('is refused by a store that has rows, and leaves them alone', async () => {
    const path = await save(source.connectionString, 'again.tar.gz')
    const before = await contents(source.connectionString)
    expect(expectRefusal(await restore(path, source.connectionString)).why).toContain('not empty')
    expect(await contents(source.connectionString)).toEqual(before)
  })

  it('of an older schema is loaded into that schema and then migrated', async () => {
    const pool = new Pool({ connectionString: oldSource.connectionString, max: 1 })
    await migrate({ pool, folder: migrationsFolder(), clock: systemClock, signal: signal(), through: 1 })
    await pool.end()
    await ask(
      oldSource.connectionString,
      `insert into postmortems (uid, namespace, pod, died_at, recorded_at, cause, confidence, rules, judged_at, verdict)
       values ('u1', 'n', 'p1', 1, 2, 'oom-container', 0.9, '1', 3, '{}')`,
    )
    const path = await save(oldSource.connectionString, 'old.tar.gz')
    const outcome = await restore(path, oldTarget.connectionString)
    expect(outcome.kind === 'restored' && outcome.migrated[0]).toBe('0002_watch.sql')
    // What the second migration does with a verdict that was there before it.
    expect(await ask(oldTarget.connectionString, 'select uid, kind from postmortems')).toEqual([
      { uid: 'u1', kind: 'unknown' },
    ])
  })

  it('that is cut anywhere is refused, and nothing is written', async () => {
    await ask(source.connectionString, `delete from evidence where source = 'logs'`)
    const path = await save(source.connectionString, 'cut.tar.gz')
    const whole = await readFile(path)
    const step = Math.max(1, Math.floor(whole.length / 60))
    for (let length = 0; length < whole.length; length += step) {
      await writeFile(path, whole.subarray(0, length))
      expect(expectRefusal(await verify(path)).why).toMatch(/cut|damaged|no backup/)
    }
    await writeFile(path, whole.subarray(0, whole.length - 1))
    expect(expectRefusal(await restore(path, untouched.connectionString)).why).toMatch(/cut|damaged/)
    expect(await contents(untouched.connectionString)).toEqual([])
  })

  it('whose content was changed is refused, although gzip and tar are right', async () => {
    const path = await save(source.connectionString, 'changed.tar.gz')
    const tar = gunzipSync(await readFile(path))
    for (const [from, to] of [
      ['\tp2\t', '\tp9\t'],
      ['"rows": 2', '"rows": 1'],
      ['"postgresql": "', '"postgresqx": "'],
      ['"createdAt": "2', '"createdAt": "1'],
    ] as const) {
      const at = tar.indexOf(from)
      expect(at).toBeGreaterThan(0)
      const changed = Buffer.from(tar)
      changed.write(to, at)
      await writeFile(path, gzipSync(changed))
      expect(expectRefusal(await verify(path)).why).toContain('damaged')
    }
  })

  it('that is stopped leaves no file', async () => {
    const path = join(folder, 'stopped', 'store.tar.gz')
    await writeFile(join(folder, 'unrelated'), '')
    const before = await readdir(folder)
    const stop = new AbortController()
    const target = { kind: 'file', path: join(folder, 'stopped.tar.gz') } as const
    const stopped = {
      ...request(source.connectionString, path),
      target,
      onTable: () => stop.abort(),
      signal: stop.signal,
    }
    expect(expectRefusal(await backupStore(stopped)).why).toContain('stopped')
    expect(await readdir(folder)).toEqual(before)
    expect(expectRefusal(await backupStore(request(source.connectionString, path))).why).toContain(
      'no such file or folder',
    )
  })

  it('of a database without a store, or of a folder without a database, is refused', async () => {
    const path = join(folder, 'none.tar.gz')
    expect(expectRefusal(await backupStore(request(untouched.connectionString, path))).why).toContain('no store')
    const nowhere = { ...request('', path), place: { dataFolder: join(folder, 'nowhere') } }
    expect(expectRefusal(await backupStore(nowhere)).why).toContain('no database in')
    expect(await readdir(folder)).not.toContain('nowhere')
  })
})
