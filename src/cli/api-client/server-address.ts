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

/** The address of the server that is meant: one that listens everywhere is asked on this machine. */
export function addressOf({ api, listen: { host, port }, tls }: Config): ServerAddress {
  if (api.server !== null) return { url: api.server.replace(/\/+$/, ''), isOwn: false, certFile: null }
  const scheme = tls === null ? 'http' : 'https'
  const url = onThisMachine(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`)
  return { url, isOwn: true, certFile: tls?.certFile ?? null }
}

/** How one who is on the same machine asks a server that listens there. */
export function onThisMachine(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:\d+$)/, '//127.0.0.1')
}

/** Null where none is needed: this machine may ask without. */
export async function tokenFor({ url, isOwn }: ServerAddress, { api }: Config): Promise<string | null> {
  const { protocol, hostname } = new URL(url)
  if (api.tokenFile === null || (isOwn && isLoopback(hostname))) return null
  if (protocol === 'http:' && !isOwn && !isLoopback(hostname)) {
    throw new CommandFailure(EXIT.usage, `the token is not sent to ${url}: it would travel in plain text`, [
      'give an https address: --server https://…',
    ])
  }
  const read = await tokenIn(api.tokenFile)
  if ('token' in read) return read.token
  throw new CommandFailure(EXIT.usage, `the token cannot be read: ${read.fault}`, ['give --token-file FILE'])
}

const LARGEST_BYTES = 1024 * 1024

/** The server on this machine proves itself by the very certificate that it was configured with, whoever signed it. */
export async function tlsTo({ certFile }: ServerAddress, ca: readonly string[] | undefined): Promise<TlsOptions> {
  if (certFile === null) return { ca }
  const read = await readSmallFile(certFile, LARGEST_BYTES)
  if (read.kind !== 'read') {
    const why = read.kind === 'absent' ? 'it does not exist' : `it ${read.why}`
    throw new CommandFailure(EXIT.usage, `tls.certFile: ${certFile}: ${why}`, ['or name the server: --server URL'])
  }
  const name = nameIn(read.text)
  return {
    ca: [read.text, ...(ca ?? [])],
    allowPartialTrustChain: true,
    ...(name === null ? {} : { servername: name }),
  }
}

/** A certificate is for the names under which others ask; this machine asks by an address. */
function nameIn(pem: string): string | null {
  try {
    return /DNS:(?!\*)([^,\s]+)/.exec(new X509Certificate(pem).subjectAltName ?? '')?.[1] ?? null
  } catch {
    return null
  }
}
