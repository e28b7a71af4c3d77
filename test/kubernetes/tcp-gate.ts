import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { once } from 'node:events'

/** A TCP proxy that can stop forwarding without closing connections, as a lost route does. */
export type TcpGate = AsyncDisposable & {
  readonly port: number
  /** Stops forwarding on open connections; new ones work. */
  readonly silence: () => void
  /** Each new connection breaks until `restore`; open ones stay. */
  readonly shut: () => void
  /** Every connection breaks, and each new one until `restore`. */
  readonly cut: () => void
  readonly restore: () => void
  readonly connections: () => number
}

/** To a port on this machine, or to a Unix socket. */
export async function openTcpGate(target: number | string): Promise<TcpGate> {
  const sockets = new Set<Socket>()
  let connections = 0
  let isCut = false
  const server = createServer((incoming) => {
    connections += 1
    if (isCut) {
      incoming.destroy()
      return
    }
    const outgoing = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target)
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    incoming.pipe(outgoing)
    outgoing.pipe(incoming)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    silence: () => {
      for (const socket of sockets) {
        socket.unpipe()
        socket.pause()
      }
    },
    shut: () => {
      isCut = true
    },
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    restore: () => {
      isCut = false
    },
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
