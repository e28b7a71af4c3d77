import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { socketFile } from '#/adapters/postgres/embedded/socket-folder.ts'

export type SilentProxy = {
  readonly connectionString: string
  /** Drops everything from now on without closing connections, as a pulled cable does. */
  readonly fallSilent: () => void
  /** How many connections the client has made. */
  readonly opened: () => number
  /** How many connections the client has given up. */
  readonly closedByClient: () => number
}

/** A proxy to a server that can go silent. Closed with the test. */
export async function silentProxy(connectionString: string): Promise<SilentProxy> {
  const target = new URL(connectionString)
  const folder = target.searchParams.get('host')
  const sockets = new Set<Socket>()
  let silent = false
  let opened = 0
  let closedByClient = 0
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (chunk) => void (silent || to.write(chunk)))
    from.on('error', () => undefined)
    from.on('close', () => void (silent || to.destroy()))
  }
  const server = createServer((client) => {
    opened += 1
    const upstream = folder === null ? connect(Number(target.port), target.hostname) : connect(socketFile(folder))
    client.on('close', () => {
      closedByClient += 1
    })
    pass(client, upstream)
    pass(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const proxied = new URL(connectionString)
  proxied.hostname = '127.0.0.1'
  proxied.searchParams.delete('host')
  proxied.port = String((server.address() as AddressInfo).port)
  const fallSilent = () => {
    silent = true
  }
  return { connectionString: proxied.href, fallSilent, opened: () => opened, closedByClient: () => closedByClient }
}
