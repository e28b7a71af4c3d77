import { X509Certificate } from 'node:crypto'
import type { TlsOptions } from '#/adapters/http/dispatchers.ts'
import { tokenIn } from '#/adapters/files/token-file.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { Config } from '#/config/config.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { isLoopback } from '#/server/local-only.ts'

export type ServerAddress = {
  readonly url: string
  /** Where a server on this machine with the same configuration listens. */
  readonly isOwn: boolean
  /** The certificate that such a server has. */
  readonly certFile: string | null
}

/** The address to connect to. A server that listens on all addresses is reached on this machine. */
export function findServerAddress({ api, listen: { host, port }, tls }: Config): ServerAddress {
  if (api.server !== null) return { url: api.server.replace(/\/+$/, ''), isOwn: false, certFile: null }
  const scheme = tls === null ? 'http' : 'https'
  const url = onThisMachine(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`)
  return { url, isOwn: true, certFile: tls?.certFile ?? null }
}

/** The URL to use from the same machine. */
export function onThisMachine(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:\d+$)/, '//127.0.0.1')
}

/** Null when none is needed: this machine may connect without a token. */
export async function tokenFor({ url, isOwn }: ServerAddress, { api }: Config): Promise<string | null> {
  const { protocol, hostname } = new URL(url)
  if (api.tokenFile === null || (isOwn && isLoopback(hostname))) return null
  if (protocol === 'http:' && !isOwn && !isLoopback(hostname)) {
    throw new CommandFailure(EXIT.usage, `refusing to send the token to ${url}: the connection is not encrypted`, [
      'use an https URL: --server https://…',
    ])
  }
  const read = await tokenIn(api.tokenFile)
  if ('token' in read) return read.token
  throw new CommandFailure(EXIT.usage, `cannot read the token: ${read.fault}`, ['use --token-file FILE'])
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
