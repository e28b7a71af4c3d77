import { getCACertificates } from 'node:tls'
import type { Dispatcher } from 'undici'
import { Agent, ProxyAgent } from 'undici'

export type TlsOptions = {
  /** PEM. Replaces the system's authorities; `withSystemAuthorities` adds to them. */
  readonly ca?: string | readonly string[] | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly servername?: string | undefined
  readonly rejectUnauthorized?: boolean | undefined
  /** Whether `ca` may name a certificate that somebody else signed: then that very one is trusted. */
  readonly allowPartialTrustChain?: boolean | undefined
}

export type DispatcherOptions = {
  /** The proxy that leads to a target, or null for a direct connection: `proxyFor` with the configured proxies. */
  readonly wayTo: (target: URL) => string | null
  readonly tls: TlsOptions
  /** PEM, for a proxy that is itself reached by TLS; the system's authorities without it. */
  readonly proxyCa?: string | readonly string[] | undefined
  /** Connections to one origin; more requests wait for their turn. Null for streams, which would starve the rest. */
  readonly connections: number | null
  /** A Unix socket that leads to every target. */
  readonly socketPath?: string | undefined
}

/** Connections by the way that leads to a target: direct, or through one of the proxies. */
export type Dispatchers = {
  readonly for: (target: URL) => Dispatcher
  /** Lets what is under way end. */
  readonly close: () => Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000
/** Below the idle limit of common load balancers (60 s). */
const KEEP_ALIVE_PROBE_MS = 30_000

export function makeDispatchers(options: DispatcherOptions): Dispatchers {
  const made = new Map<string, Dispatcher>()
  return {
    for: (target) => {
      const way = options.wayTo(target)
      const key = way ?? 'direct'
      const known = made.get(key)
      if (known !== undefined) return known
      const dispatcher = way === null ? new Agent(agentOptions(options)) : throughProxy(way, options)
      made.set(key, dispatcher)
      return dispatcher
    },
    close: async () => {
      const closing = [...made.values()].map((dispatcher) => dispatcher.close())
      made.clear()
      await Promise.all(closing)
    },
  }
}

/** For a private authority (GitHub Enterprise, a proxy that opens TLS) beside the public ones. */
export function withSystemAuthorities(pem: string): readonly string[] {
  return [...getCACertificates('default'), pem]
}

function throughProxy(uri: string, options: DispatcherOptions): Dispatcher {
  return new ProxyAgent({
    ...agentOptions(options),
    uri,
    requestTls: tlsConnect(options.tls),
    proxyTls: tlsConnect({ ca: options.proxyCa }),
  })
}

/** Timeouts of headers and bodies are kept on the injected clock, so undici's own are off. HTTP/1.1 keeps a hung stream from blocking others. */
function agentOptions(options: DispatcherOptions): Agent.Options {
  return {
    connect: {
      ...tlsConnect(options.tls),
      ...(options.socketPath === undefined ? {} : { socketPath: options.socketPath }),
    },
    connections: options.connections,
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 65_536,
  }
}

function tlsConnect({
  ca,
  cert,
  key,
  servername,
  rejectUnauthorized,
  allowPartialTrustChain,
}: TlsOptions): NonNullable<ProxyAgent.Options['requestTls']> {
  return {
    timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(allowPartialTrustChain === undefined ? {} : { allowPartialTrustChain }),
  }
}
