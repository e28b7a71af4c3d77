import { X509Certificate } from 'node:crypto'
import type { TlsOptions } from '#/adapters/http/dispatchers.ts'
import { tokenIn } from '#/adapters/files/token-file.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { Config } from '#/config/config.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { isLoopback } from '#/server/access/local-only.ts'
import { probeSocket } from '#/server/probe-socket.ts'

export type ServerAddress = {
  /** As people write it: a URL, or `unix:/PATH`. */
  readonly url: string
  /** The Unix socket to connect to; null: by TCP. */
  readonly socket: string | null
  /** Where a server on this machine with the same configuration listens. */
  readonly isOwn: boolean
  /** The certificate that such a server has. */
  readonly certFile: string | null
  /** The socket is there, but belongs to another user. */
  readonly deniedSocket: string | null
}

const UNIX = 'unix:'

/** The address to connect to: the named one, the socket of a server that runs here, or where it would listen. */
export async function findServerAddress(config: Config): Promise<ServerAddress> {
  const { server } = config.api
  if (server === null) return findOwn(config)
  const named = { isOwn: false, ...PLAIN }
  if (server.startsWith(UNIX)) return { ...named, url: server, socket: server.slice(UNIX.length) }
  return { ...named, url: server.replace(/\/+$/, '') }
}

const PLAIN = { socket: null, certFile: null, deniedSocket: null }

async function findOwn({ api, listen: { host, port }, tls }: Config): Promise<ServerAddress> {
  const path = api.socket?.path ?? null
  const state = path === null ? 'absent' : await probeSocket(path)
  if (state === 'answers') return { ...PLAIN, url: `${UNIX}${path}`, socket: path, isOwn: true }
  const scheme = tls === null ? 'http' : 'https'
  const url = onThisMachine(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`)
  return {
    url,
    socket: null,
    isOwn: true,
    certFile: tls?.certFile ?? null,
    deniedSocket: state === 'denied' ? path : null,
  }
}

/** The URL to use from the same machine. */
export function onThisMachine(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:\d+$)/, '//127.0.0.1')
}

/** The token to send; null when there is none, or none is needed. */
export async function tokenFor(address: ServerAddress, { api, client }: Config): Promise<string | null> {
  const given = client.token?.reveal().trim()
  if (given !== undefined) return checkedToken(given, address)
  if (api.tokenFile === null || address.socket !== null) return null
  // Nobody named this address, and without TLS any user could listen there to collect tokens while the server is down.
  if (address.isOwn && address.certFile === null) return null
  const read = await tokenIn(api.tokenFile)
  if ('token' in read) return checkedToken(read.token, address)
  if (address.isOwn) return null
  throw new CommandFailure(EXIT.usage, `cannot read the token: ${read.fault}`, ['use --token-file FILE'])
}

function checkedToken(token: string, { url, socket }: ServerAddress): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) {
    throw new CommandFailure(EXIT.usage, 'the token is not one word of ASCII characters', [
      'check SIGNALBOX_TOKEN or the file of --token-file',
    ])
  }
  const isPlain = socket === null && new URL(url).protocol === 'http:'
  if (!isPlain || isLoopback(new URL(url).hostname)) return token
  throw new CommandFailure(EXIT.usage, `refusing to send the token to ${url}: the connection is not encrypted`, [
    'use an https URL: --server https://…',
  ])
}

const LARGEST_BYTES = 1024 * 1024

/** The server on this machine must show exactly the configured certificate, whoever signed it. */
export async function tlsTo({ certFile }: ServerAddress, ca: readonly string[] | undefined): Promise<TlsOptions> {
  if (certFile === null) return { ca }
  const read = await readSmallFile(certFile, LARGEST_BYTES)
  if (read.kind !== 'read') {
    const why = read.kind === 'absent' ? 'it does not exist' : `it ${read.why}`
    throw new CommandFailure(EXIT.usage, `tls.certFile: ${certFile}: ${why}`, ['fix tls.certFile, or use --server URL'])
  }
  const name = nameIn(read.text)
  return {
    ca: [read.text, ...(ca ?? [])],
    allowPartialTrustChain: true,
    ...(name === null ? {} : { servername: name }),
  }
}

/** The certificate is for host names, but this machine connects by IP address. */
function nameIn(pem: string): string | null {
  try {
    return /DNS:(?!\*)([^,\s]+)/.exec(new X509Certificate(pem).subjectAltName ?? '')?.[1] ?? null
  } catch {
    return null
  }
}
