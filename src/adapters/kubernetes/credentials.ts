import type { TlsOptions } from '#/adapters/http/dispatchers.ts'
import type { Blind } from '#/core/basics/observed.ts'

/** What it takes to speak to one API server now. */
export type Credentials = {
  readonly kind: 'ready'
  readonly server: URL
  /** Holds secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly tls: TlsOptions
  /** The kubeconfig's own proxy; it goes before those of the environment. */
  readonly proxyUrl: string | null
  /** Of the context; null where it names none. */
  readonly namespace: string | null
}

export type CredentialSource = {
  /** Cheap enough to be asked before every request. */
  readonly current: (signal: AbortSignal) => Promise<Credentials | Blind>
  /** After the server rejected these: everything is read again. Many callers at once cause one renewal. */
  readonly renew: (rejected: Credentials, signal: AbortSignal) => Promise<Credentials | Blind>
}
