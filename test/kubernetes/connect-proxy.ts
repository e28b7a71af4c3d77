import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { connect } from 'node:net'

/** An HTTP proxy that opens tunnels, as in company networks. */
export type ConnectProxy = AsyncDisposable & {
  readonly url: string
  /** The requested targets, `host:port`. */
  readonly asked: readonly string[]
}

export async function openConnectProxy(): Promise<ConnectProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer()
  server.on('connection', keep)
  server.on('connect', (request, incoming: Socket) => {
    asked.push(request.url ?? '')
    const [host = '', port = ''] = (request.url ?? '').split(':')
    const outgoing = connect(Number(port), host, () => {
      incoming.write('HTTP/1.1 200 Connection established\r\n\r\n')
      incoming.pipe(outgoing)
      outgoing.pipe(incoming)
    })
    keep(outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
