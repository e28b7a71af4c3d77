import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'

export type Listening =
  | { readonly kind: 'listening'; readonly url: string; readonly close: () => Promise<void> }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string }

export type ListenAddress = { readonly host: string; readonly port: number }

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
const MAX_HEADER_BYTES = 16 * 1024
const DRAIN_MS = 3_000

/** Opens the port. A port that is taken or not ours to have is an ordinary outcome with advice, not a stack trace. */
export async function listen(app: Hono, address: ListenAddress): Promise<Listening> {
  // HTTP/1.0, which load balancers use for their checks, need not name a host.
  const handle = getRequestListener(app.fetch, { hostname: 'localhost' })
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => void handle(request, response),
  )
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(refusal(error, address)))
    server.listen(address.port, address.host, () => {
      server.removeAllListeners('error')
      const { port } = server.address() as AddressInfo
      const host = address.host.includes(':') ? `[${address.host}]` : address.host
      resolve({ kind: 'listening', url: `http://${host}:${port}`, close: () => closeServer(server) })
    })
  })
}

function refusal(error: NodeJS.ErrnoException, { host, port }: ListenAddress): Listening {
  switch (error.code) {
    case 'EADDRINUSE':
      return {
        kind: 'refused',
        why: `something else listens on ${host}:${port} already`,
        next: 'choose another with --listen HOST:PORT (port 0 takes a free one)',
      }
    case 'EACCES':
      return {
        kind: 'refused',
        why: `this user may not listen on ${host}:${port}`,
        next: 'choose a port above 1023 with --listen',
      }
    default:
      return {
        kind: 'refused',
        why: `cannot listen on ${host}:${port}: ${error.message}`,
        next: 'check the host in --listen',
      }
  }
}

async function closeServer(server: ReturnType<typeof createServer>): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const drained = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearTimeout(drained)
}
