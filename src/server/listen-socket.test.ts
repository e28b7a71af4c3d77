import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Hono } from 'hono'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasRootFor } from '#test/postgres/has-root-for.ts'
import { listenOnSocket } from './listen-socket.ts'
import type { SocketListening } from './listen-socket.ts'
import { cameByUnixSocket } from '#/server/access/local-only.ts'
import { probeSocket } from './probe-socket.ts'

const app = new Hono().get('/', (c) => c.text(cameByUnixSocket(c) ? 'by the socket' : 'otherwise'))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-socket-'))
  // Only the mode of the socket itself keeps others out.
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

async function opened(path: string): Promise<Extract<SocketListening, { kind: 'listening' }>> {
  const listening = await listenOnSocket(app, path)
  if (listening.kind === 'refused') throw new Error(listening.why)
  onTestFinished(() => listening.close())
  return listening
}

async function ask(socketPath: string): Promise<string> {
  const agent = new Agent({ connect: { socketPath } })
  const { body } = await request('http://localhost/', { dispatcher: agent })
  const said = await body.text()
  await agent.close()
  return said
}

/** What a process that becomes another user sees when it connects, before and after. */
async function connectsAs(path: string): Promise<string> {
  const script = `
    const { connect } = require('node:net')
    const attempt = () => new Promise((done) => {
      const socket = connect(process.argv[1])
      socket.once('connect', () => { socket.destroy(); done('connected') })
      socket.once('error', ({ code }) => done(code))
    })
    const run = async () => {
      const own = await attempt()
      process.setgroups([]); process.setgid(65534); process.setuid(65534)
      console.log(own, await attempt())
    }
    run()`
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  return (await text(child.stdout)).trim()
}

/** A socket file whose process was killed. */
async function leaveBehind(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(process.argv[1], () => console.log('listening'))`
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
}

describe('listening on a Unix socket', () => {
  it('answers there, is for its owner only, and leaves nothing behind', async () => {
    const path = join(folder, 'plain.sock')
    const listening = await opened(path)
    expect(await ask(path)).toBe('by the socket')
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600')
    expect(await readdir(folder)).toEqual(['plain.sock'])
    await listening.close()
    expect(await readdir(folder)).toEqual([])
  })

  it('refuses another user', async (context) => {
    if (!hasRootFor('a socket and another user')) return context.skip()
    const path = join(folder, 'mine.sock')
    await opened(path)
    expect(await connectsAs(path)).toBe('connected EACCES')
  })

  it('replaces the file of a serve that was killed', async () => {
    const path = join(folder, 'left.sock')
    await leaveBehind(path)
    expect(await probeSocket(path)).toBe('left-behind')
    await opened(path)
    expect(await ask(path)).toBe('by the socket')
  })

  it('does not take the socket of a serve that runs', async () => {
    const path = join(folder, 'taken.sock')
    await opened(path)
    expect(await listenOnSocket(app, path)).toMatchObject({
      kind: 'refused',
      next: expect.stringContaining('api.socket') as string,
    })
    expect(await ask(path)).toBe('by the socket')
  })

  it('does not replace a file that is no socket', async () => {
    const path = join(folder, 'notes.txt')
    await writeFile(path, 'mine')
    expect(await listenOnSocket(app, path)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('no socket') as string,
    })
    expect((await stat(path)).size).toBe(4)
  })

  it('removes only its own file when it closes', async () => {
    const path = join(folder, 'replaced.sock')
    const listening = await opened(path)
    await rm(path)
    const other = createServer().listen(path)
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    await listening.close()
    expect(await probeSocket(path)).toBe('answers')
  })

  it.each([
    ['a long name', (inside: string) => join(inside, 'x'.repeat(108))],
    ['a long folder', (inside: string) => join(inside, 'y'.repeat(100), 'a.sock')],
  ])('says what to do about a path that is too long: %s', async (_, place) => {
    expect(await listenOnSocket(app, place(folder))).toEqual({
      kind: 'refused',
      why: expect.stringContaining('longer than') as string,
      next: expect.stringContaining('set api.socket to a shorter path') as string,
    })
  })

  it('says what to do about a folder that it cannot write', async () => {
    expect(await listenOnSocket(app, '/proc/signalbox.sock')).toMatchObject({
      kind: 'refused',
      next: expect.stringContaining('api.socket') as string,
    })
  })
})
