import { spawn } from 'node:child_process'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { ask } from '#test/postgres/ask.ts'
import { openFolder } from '#test/postgres/folders.ts'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { startEmbedded } from './start-embedded.ts'
import type { EmbeddedRequest, EmbeddedServer } from './start-embedded.ts'

async function start(dataFolder: string, changes: Partial<EmbeddedRequest> = {}): Promise<EmbeddedServer> {
  const server = await attempt(dataFolder, changes)
  if (server.kind === 'refused') throw new Error(`${server.why}\n${server.next}`)
  onTestFinished(server.stop)
  return server
}

async function attempt(dataFolder: string, changes: Partial<EmbeddedRequest> = {}) {
  const settings = { fsync: 'off' }
  const signal = AbortSignal.timeout(60_000)
  return await startEmbedded({ dataFolder, clock: systemClock, notice: () => undefined, signal, settings, ...changes })
}

describe('the embedded PostgreSQL', () => {
  it('starts in a folder that is not there yet, and keeps its data over a restart', async () => {
    const folder = join(await openFolder(), 'data')
    const first = await start(folder)
    await ask(first.connectionString, 'create table kept (value text)', `insert into kept values ('still here')`)
    await first.stop()
    await expect(ask(first.connectionString, 'select 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
    await mkdir(join(folder, 'postgres.partial-interrupted', 'data'), { recursive: true })
    const second = await start(folder)
    expect(await ask(second.connectionString, 'select value from kept')).toEqual([{ value: 'still here' }])
    expect((await readdir(folder)).toSorted()).toEqual(['lock', 'lock.pid', 'postgres'])
    expect((await readdir(second.location)).toSorted()).toEqual([
      'data',
      'lock',
      'lock.pid',
      'password',
      'server.log',
      'server.log.old',
      'socket',
    ])
  })

  it('lets in nobody without the password, which only its user can read', async () => {
    const server = await start(join(await openFolder(), 'data'))
    const url = new URL(server.connectionString)
    url.password = 'guessed'
    await expect(ask(url.href, 'select 1')).rejects.toThrow('password authentication failed')
    const { mode } = await stat(join(server.location, 'password'))
    expect(mode & 0o777).toBe(0o600)
  })

  it('refuses a second copy on the same folder and names the first', async () => {
    const folder = join(await openFolder(), 'data')
    const first = await start(folder)
    const second = await attempt(folder)
    expect(expectRefusal(second).why).toContain(`pid ${process.pid}`)
    expect(await ask(first.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('refuses data of another major, leaves it alone, and gives the folder free', async () => {
    const folder = join(await openFolder(), 'data')
    const server = await start(folder)
    await server.stop()
    const versionFile = join(server.location, 'data', 'PG_VERSION')
    await writeFile(versionFile, '17\n')
    expect(expectRefusal(await attempt(folder)).why).toContain('PostgreSQL 17')
    await writeFile(versionFile, '18\n')
    await start(folder)
  })

  it('starts although another process now has the number that a crashed server left', async () => {
    const folder = join(await openFolder(), 'data')
    const server = await start(folder)
    await server.stop()
    const data = join(server.location, 'data')
    const { uid, gid } = await stat(data)
    const stranger = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore' })
    onTestFinished(() => void stranger.kill())
    const note = `${stranger.pid}\n${data}\n1794693771\n25563\n\n127.0.0.1\n   1         1\nready   \n`
    await writeFile(join(data, 'postmaster.pid'), note)
    await start(folder)
    expect(stranger.exitCode).toBeNull()
    expect(stranger.signalCode).toBeNull()
  })

  it('listens on no TCP port, only on a socket in a folder that its user alone can enter, without TLS', async () => {
    const server = await start(join(await openFolder(), 'data'))
    expect(await ask(server.connectionString, 'show listen_addresses')).toEqual([{ listen_addresses: '' }])
    const socketFolder = new URL(server.connectionString).searchParams.get('host')!
    expect(socketFolder).toBe(join(server.location, 'socket'))
    const { mode, uid } = await stat(socketFolder)
    expect(mode & 0o777).toBe(0o700)
    expect(uid).toBe((await stat(join(server.location, 'data'))).uid)
    await expect(ask(`${server.connectionString}&sslmode=require`, 'select 1')).rejects.toThrow('does not support SSL')
  })

  it('starts in a folder whose path is too long for a socket, and in one with a space and a comma', async () => {
    const parent = await openFolder()
    for (const name of ['x'.repeat(120), 'a b, "c"']) {
      const server = await start(join(parent, name, 'data'))
      expect(await ask(server.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
      const { mode } = await stat(new URL(server.connectionString).searchParams.get('host')!)
      expect(mode & 0o777).toBe(0o700)
      await server.stop()
    }
  })

  it('gives up on its signal while it starts, and leaves nothing running', async () => {
    const folder = join(await openFolder(), 'data')
    const refused = await attempt(folder, { signal: AbortSignal.abort() })
    expect(expectRefusal(refused).why).toContain('stopped before')
    await start(folder)
  })

  it('shows the end of the log and what to do when the server does not start', async () => {
    const folder = join(await openFolder(), 'data')
    const refused = await attempt(folder, { settings: { shared_buffers: 'plenty' } })
    const { why, next } = expectRefusal(refused)
    expect(why).toContain('invalid value for parameter "shared_buffers"')
    expect(next).toContain('server.log')
  })

  it('says that a folder cannot be made instead of throwing', async () => {
    const file = join(await openFolder(), 'file')
    await writeFile(file, '')
    const refused = await attempt(join(file, 'data'))
    expect(expectRefusal(refused).why).toContain('ENOTDIR')
  })
})
