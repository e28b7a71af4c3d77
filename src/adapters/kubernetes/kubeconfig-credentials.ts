import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import type { Blind } from '#/core/basics/observed.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Credentials, CredentialSource } from './credentials.ts'
import type { KubeconfigSource } from './load-kubeconfig.ts'
import { loadKubeconfig } from './load-kubeconfig.ts'
import { plainCredentials, readPlainKubeconfig } from './plain-kubeconfig.ts'
import type { PlainKubeconfig } from './plain-kubeconfig.ts'
import { asRecord, asText } from './record.ts'

/** Files and exec plugins are not asked for every request; a token that ends earlier is renewed by the 401. */
const TRUSTED_FOR_MS = 10_000
const EXEC_TIMEOUT_MS = 60_000

/** Where `kubectl proxy` and tests listen. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

export function kubeconfigCredentials(source: KubeconfigSource, clock: Clock): CredentialSource {
  let config: KubeConfig | null = null
  // As it was at the start: who changes the context of a kubeconfig does not move us to another cluster.
  let plain: PlainKubeconfig | null = null
  let latest: { readonly credentials: Credentials; readonly at: number } | null = null
  let underway: Promise<Credentials | Blind> | null = null

  const load = async (): Promise<Credentials | Blind> => {
    try {
      if (config === null) plain ??= await readPlainKubeconfig(source)
      const credentials = await (plain === null ? byLibrary() : plainCredentials(plain))
      if (credentials.kind === 'ready') latest = { credentials, at: clock.now() }
      return credentials
    } catch (error) {
      config = null
      plain = null
      return blind('unauthenticated', explainLoading(error, source))
    }
  }
  const byLibrary = async (): Promise<Credentials | Blind> => {
    config ??= await loadKubeconfig(source)
    return await extract(config)
  }
  const alone = (work: () => Promise<Credentials | Blind>, signal: AbortSignal): Promise<Credentials | Blind> => {
    underway ??= work().finally(() => {
      underway = null
    })
    return inTime(underway, clock, signal)
  }
  return {
    current: async (signal) => {
      if (latest !== null && clock.now() - latest.at < TRUSTED_FOR_MS) return latest.credentials
      return await alone(load, signal)
    },
    renew: async (rejected, signal) => {
      if (underway !== null) await inTime(underway, clock, signal)
      if (latest !== null && !sameIdentity(latest.credentials, rejected)) return latest.credentials
      return await alone(() => {
        config = null
        plain = null
        return load()
      }, signal)
    },
  }
}

function sameIdentity(a: Credentials, b: Credentials): boolean {
  return JSON.stringify([a.headers, a.tls]) === JSON.stringify([b.headers, b.tls])
}

async function inTime(
  loading: Promise<Credentials | Blind>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Credentials | Blind> {
  const cancel = new AbortController()
  const tooLate = clock
    .sleep(EXEC_TIMEOUT_MS, AbortSignal.any([cancel.signal, signal]))
    .then(() => blind(signal.aborted ? 'stopped' : 'timeout', 'the credentials did not come in time'))
  try {
    return await Promise.race([loading, tooLate])
  } finally {
    cancel.abort()
  }
}

export async function extract(config: KubeConfig): Promise<Credentials | Blind> {
  const cluster = config.getCurrentCluster()
  if (cluster === null) {
    return blind('unauthenticated', `the kubeconfig has no context "${config.currentContext ?? ''}" with a cluster`)
  }
  if (!URL.canParse(cluster.server)) {
    return blind('unauthenticated', 'there is no address of an API server: no kubeconfig, and not inside a cluster')
  }
  const server = new URL(cluster.server)
  if (server.protocol === 'http:' && !cluster.skipTLSVerify) {
    if (!LOOPBACK.has(server.hostname)) {
      return blind('unauthenticated', `no credentials are sent to ${server.host} in the open: it is not https`)
    }
    // There is nothing to verify; the library requires an explicit flag.
    config.clusters = config.clusters.map((one) => (one === cluster ? { ...one, skipTLSVerify: true } : one))
  }
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  return {
    kind: 'ready',
    server,
    headers: readHeaders(options),
    tls: {
      ca: pem(options.ca),
      cert: pem(options.cert),
      key: pem(options.key),
      servername: options.servername,
      rejectUnauthorized: options.rejectUnauthorized,
    },
    proxyUrl: cluster.proxyUrl ?? null,
    namespace: config.getContextObject(config.currentContext)?.namespace ?? null,
  }
}

function readHeaders(options: RequestOptions): Readonly<Record<string, string>> {
  const basic = typeof options.auth === 'string' ? `Basic ${Buffer.from(options.auth).toString('base64')}` : null
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(asRecord(options.headers) ?? {})) {
    // A token file ends with a line end, which no header may hold.
    headers[name.toLowerCase()] = String(value).trim()
  }
  return { ...(basic === null ? {} : { authorization: basic }), ...headers }
}

function pem(value: unknown): string | undefined {
  if (Buffer.isBuffer(value)) return value.toString('utf8')
  return asText(value) ?? undefined
}

/** Without the message of the library: a plugin's output or a broken file may hold a token. */
function explainLoading(error: unknown, source: KubeconfigSource): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  const path = error instanceof Error && 'path' in error ? String(error.path) : null
  const where = source.kind === 'files' ? source.paths.join(', ') : 'the folder of the service account'
  if (code === null) return `no credentials from ${where}: it is broken, or its exec plugin failed; kubectl shows which`
  return `no credentials from ${where}: ${code}${path === null ? '' : ` on ${path}`}`
}
