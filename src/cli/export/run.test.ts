import { spawn } from 'node:child_process'
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { cleanEnvironment, launcher } from '#test/cli/run-signalbox.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import type { RecordedServer } from '#test/server/recorded-server.ts'

let folder: string
let server: RecordedServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-export-'))
  server = await serveRecorded([{ bundle: 'force-deleted', pod: 'gone' }])
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const unpacked = (archive: Buffer): string => gunzipSync(archive).toString('latin1')
const exported = (...args: readonly string[]) => runInProcess(['export', 'gone', '--server', server.url, ...args])

describe('signalbox export', () => {
  it('replaces a file only with --force, as a whole, readable only by its owner', async () => {
    const [path, former] = [join(folder, 'a.tar.gz'), join(folder, 'former')]
    await writeFile(path, 'former', { mode: 0o644 })
    await link(path, former)
    const refused = await exported('-o', path)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('already exists')])
    expect(await readFile(path, 'utf8')).toBe('former')
    expect((await exported('-o', path, '--force')).code).toBe(0)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(path)).size).toBeGreaterThan(1000)
    // Nobody wrote into the file that was there: whoever ran out of space would have destroyed it.
    expect(await readFile(former, 'utf8')).toBe('former')
  })

  it('writes the same bytes to stdout with -o -, and its messages to stderr', async () => {
    const path = join(folder, 'c.tar.gz')
    const args = ['export', 'gone', '--server', server.url, '-o']
    expect((await runInProcess([...args, path])).code).toBe(0)
    const child = spawn(launcher, [...args, '-'], { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
    const [piped, said] = await Promise.all([buffer(child.stdout), text(child.stderr)])
    expect(unpacked(piped)).toEqual(unpacked(await readFile(path)))
    expect(said).toMatch(/^stdout: \d+ bytes/)
  })

  it('leaves nothing behind when it cannot write', async () => {
    const path = join(folder, 'folder', 'b.tar.gz')
    await mkdir(path, { recursive: true })
    const ran = await exported('-o', path, '--force')
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('cannot write')])
    expect(await readdir(join(folder, 'folder'))).toEqual(['b.tar.gz'])
  })
})
