import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { chmod, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'

import { closeServer, REQUEST_LIMITS } from './listen.ts'
import { probeSocket } from './probe-socket.ts'
import type { SocketState } from './probe-socket.ts'

export type SocketListening =
  | { readonly kind: 'listening'; readonly path: string; readonly close: () => Promise<void> }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string }

/** `sun_path` without its final NUL; macOS has four bytes less than Linux. */
const LONGEST_PATH_BYTES = process.platform === 'darwin' ? 103 : 107
const OWNER_ONLY = 0o600
const SHORTER = 'set api.socket to a shorter path, for example /run/signalbox/api.sock'

/**
 * The API on a Unix socket, whose file mode decides who may connect. It is made in a private folder and then renamed: it
 * never exists at its path with another mode, and it replaces what a killed `serve` left behind.
 */
export async function listenOnSocket(app: Hono, path: string): Promise<SocketListening> {
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES) return tooLong(path)
  const occupied = OCCUPIED[await probeSocket(path)]
  if (occupied !== null) return { kind: 'refused', why: `${occupied} ${path}`, next: 'set api.socket to another path' }
  const server = makeServer(app)
  try {
    const made = await bindPrivately(server, path)
    return made === 'too-long'
      ? tooLong(path)
      : { kind: 'listening', path, close: () => closeSocket(server, path, made) }
  } catch (error) {
    await closeServer(server)
    const why = error instanceof Error ? error.message : String(error)
    return {
      kind: 'refused',
      why: `cannot listen on ${path}: ${why}`,
      next: 'set api.socket to a path that this user can write',
    }
  }
}

function makeServer(app: Hono): Server {
  const handle = getRequestListener((request, env) => app.fetch(request, { ...env, isUnixSocket: true }), {
    hostname: 'localhost',
  })
  return createServer(REQUEST_LIMITS, (request, response) => void handle(request, response))
}

/** Returns the inode, by which it is recognised when it is removed. */
async function bindPrivately(server: Server, path: string): Promise<bigint | 'too-long'> {
  const folder = await mkdtemp(join(dirname(path), '.s'))
  try {
    const inside = join(folder, 's')
    if (Buffer.byteLength(inside) > LONGEST_PATH_BYTES) return 'too-long'
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(inside, () => {
        server.removeAllListeners('error')
        resolve()
      })
    })
    await chmod(inside, OWNER_ONLY)
    const { ino } = await stat(inside, { bigint: true })
    await rename(inside, path)
    return ino
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function closeSocket(server: Server, path: string, inode: bigint): Promise<void> {
  const found = await stat(path, { bigint: true }).catch(() => null)
  // A serve that started meanwhile may have put its own there.
  if (found?.ino === inode) await rm(path, { force: true })
  await closeServer(server)
}

const OCCUPIED: Readonly<Record<SocketState, string | null>> = {
  absent: null,
  'left-behind': null,
  answers: 'another signalbox serve listens on',
  denied: 'another user has a socket at',
  other: 'there is a file that is no socket at',
}

function tooLong(path: string): SocketListening {
  const why = `the path of the Unix socket is longer than ${LONGEST_PATH_BYTES} bytes, which the system does not permit: ${path}`
  return { kind: 'refused', why, next: SHORTER }
}
