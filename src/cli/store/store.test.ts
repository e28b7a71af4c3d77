import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '#test/postgres/ask.ts'
import { emptyDatabase, testDatabase } from '#test/postgres/test-database.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { cleanEnvironment, launcher } from '#test/cli/run-signalbox.ts'

const source = await testDatabase()
const target = await emptyDatabase()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-store-'))
  await ask(
    source.connectionString,
    `insert into breakers (key, generation, failures, changed_at) values ('a', 1, 2, 3)`,
  )
})
afterAll(async () => await rm(folder, { recursive: true }))

const store = async (connectionString: string, ...args: readonly string[]) =>
  await runInProcess(['store', ...args], { env: { DATABASE_URL: connectionString } })

describe('signalbox store', { timeout: 120_000 }, () => {
  it('backs up, checks and restores, and says for programs what it did', async () => {
    const file = join(folder, 'a.tar.gz')
    const saved = await store(source.connectionString, 'backup', file, '-o', 'json')
    expect(saved).toMatchObject({ code: 0, stderr: expect.stringContaining('store verify') as string })
    const document = JSON.parse(saved.stdout) as { readonly size: number; readonly tables: readonly object[] }
    expect(document).toMatchObject({ schemaVersion: 1, file, size: (await stat(file)).size })
    expect(document.tables).toContainEqual(expect.objectContaining({ name: 'breakers', rows: 1 }))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await store('', 'verify', file)).toMatchObject({ code: 0 })
    expect(await store(target.connectionString, 'restore', file)).toMatchObject({ code: 0 })
    expect(await ask(target.connectionString, 'select failures from breakers')).toEqual([{ failures: 2 }])
    const again = await store(target.connectionString, 'restore', file)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('not empty')])
  })

  it('replaces a file only with --force, and leaves nothing of a backup that failed', async () => {
    const file = join(folder, 'b.tar.gz')
    await writeFile(file, 'former')
    const refused = await store(source.connectionString, 'backup', file)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('already exists')])
    const nobody = await store('postgres://nobody@127.0.0.1:1/nothing', 'backup', file, '--force')
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')])
    expect(await readFile(file, 'utf8')).toBe('former')
    expect((await store(source.connectionString, 'backup', file, '--force')).code).toBe(0)
    expect((await readdir(folder)).filter((name) => name.includes('partial'))).toEqual([])
  })

  it('writes to stdout for a pod, and its messages to stderr', async () => {
    const env = cleanEnvironment({ DATABASE_URL: source.connectionString })
    const child = spawn(launcher, ['store', 'backup', '-'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [piped, said] = await Promise.all([buffer(child.stdout), text(child.stderr)])
    expect(said).toMatch(/^stdout: \d+ rows, \d+ bytes/)
    const file = join(folder, 'c.tar.gz')
    await writeFile(file, piped)
    expect(await store('', 'verify', file)).toMatchObject({ code: 0 })
  })

  it.each([
    [['backup', 'store.sql'], 'must end in .tar.gz', 2],
    [['verify', '/nonexistent/store.tar.gz'], 'there is no such file', 1],
    [['verify', 'package.json'], 'damaged or not gzip', 1],
    [['restore', 'package.json'], 'damaged or not gzip', 1],
  ])('refuses %j', async (args, why, code) => {
    const ran = await store(source.connectionString, ...args)
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(why)])
  })
})
