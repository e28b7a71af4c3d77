import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'

import { connectionLimit } from './connection-limit.ts'
import type { CertificateSource } from '#/ports/certificate.ts'

export type Listening =
  | { readonly kind: 'listening'; readonly url: string; readonly close: () => Promise<void> }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string }

export type ListenAddress = { readonly host: string; readonly port: number }

const HEADERS_TIMEOUT_MS = 10_000
const CHECKED_EVERY_MS = 2000
const REQUEST_TIMEOUT_MS = 30_000
/** For the caller to read the whole answer once it is complete. */
const READ_TIMEOUT_MS = 60_000
const MAX_HEADER_BYTES = 16 * 1024
const DRAIN_MS = 3_000

/** For every listener, also the Unix socket. */
export const REQUEST_LIMITS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  // Node checks for expired connections only every 30 s by default.
  connectionsCheckingInterval: CHECKED_EVERY_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
}

type Server = ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>

/** Opens the port. A port in use or without permission is an ordinary outcome with advice, not a stack trace. */
export async function listen(
  app: Hono,
  address: ListenAddress,
  tls: CertificateSource | null = null,
): Promise<Listening> {
  const made = await makeServer(app, tls)
  if (typeof made === 'string') {
    return { kind: 'refused', why: made, next: 'check tls.certFile and tls.keyFile: they must be a matching PEM pair' }
  }
  const { server, release } = made
  server.maxConnections = connectionLimit()
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      release()
      resolve(refusal(error, address))
    })
    server.listen(address.port, address.host, () => {
      server.removeAllListeners('error')
      const { port } = server.address() as AddressInfo
      const host = address.host.includes(':') ? `[${address.host}]` : address.host
      const close = async (): Promise<void> => {
        release()
        await closeServer(server)
      }
      resolve({ kind: 'listening', url: `${tls === null ? 'http' : 'https'}://${host}:${port}`, close })
    })
  })
}

/** A text says what is wrong. */
async function makeServer(
  app: Hono,
  tls: CertificateSource | null,
): Promise<{ readonly server: Server; readonly release: () => void } | string> {
  // HTTP/1.0, which some load balancers use for health checks, has no Host header.
  const respond = getRequestListener(app.fetch, { hostname: 'localhost' })
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    limitReading(response)
    void respond(request, response)
  }
  if (tls === null) {
    const server = createServer(REQUEST_LIMITS, handle)
    return { server, release: () => {} }
  }
  const pair = await tls.read()
  if (typeof pair === 'string') return pair
  const options = { ...REQUEST_LIMITS, ...pair, minVersion: 'TLSv1.2' as const }
  const server = createTlsServer(options, handle)
  return {
    server,
    release: tls.follow(pair, (next) => server.setSecureContext({ ...next, minVersion: 'TLSv1.2' })),
  }
}

/** A caller that does not read keeps its answer in our memory. */
function limitReading(response: ServerResponse): void {
  response.once('prefinish', () => {
    const late = setTimeout(() => response.destroy(), READ_TIMEOUT_MS)
    response.once('close', () => clearTimeout(late))
  })
}

function refusal(error: NodeJS.ErrnoException, { host, port }: ListenAddress): Listening {
  switch (error.code) {
    case 'EADDRINUSE':
      return {
        kind: 'refused',
        why: `${host}:${port} is already in use`,
        next: 'choose another port with --listen HOST:PORT (port 0 picks a free one)',
      }
    case 'EACCES':
      return {
        kind: 'refused',
        why: `no permission to listen on ${host}:${port}`,
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

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const drained = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearTimeout(drained)
}
