import type { Context } from 'hono'

/** How a request arrived, as far as it identifies the caller. */
export type Arrival = {
  readonly peer: string | null
  readonly host: string | null
  readonly origin: string | null
  /** What a browser says about the page that asks. */
  readonly fetchSite: string | null
  /** A proxy added a header that names another client. */
  readonly isForwarded: boolean
}

const FORWARDING = /^(?:forwarded|via|x-real-ip|x-forwarded-.*|x-envoy-.*)$/

export function readArrival(c: Context, readPeer: (c: Context) => string | null): Arrival {
  return {
    peer: readPeer(c),
    host: c.req.header('host') ?? null,
    origin: c.req.header('origin') ?? null,
    fetchSite: c.req.header('sec-fetch-site') ?? null,
    isForwarded: [...c.req.raw.headers.keys()].some((name) => FORWARDING.test(name)),
  }
}

/** A person who typed the address; a page cannot send these. */
const NO_OTHER_PAGE: ReadonlySet<string> = new Set(['none', 'same-origin'])

/** Why the caller does not count as this machine; null if it does. Headers can only take that away, never give it. */
export function whyNotLocal({ peer, host, origin, fetchSite, isForwarded }: Arrival): string | null {
  if (peer === null || !isThisMachine(peer)) return 'the request comes from another address than 127.0.0.1 or ::1'
  if (isForwarded) return 'the request comes through a proxy'
  // DNS rebinding, or a web page in a person's browser, must not count as this machine.
  if (host !== null && !isThisMachine(hostIn(`http://${host}`))) return 'the Host header names another host'
  if (origin !== null || !NO_OTHER_PAGE.has(fetchSite ?? 'none')) return 'the request comes from a web page'
  return null
}

function hostIn(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

/** Not the rest of 127/8: a mesh sidecar forwards from 127.0.0.6 what came from anywhere. */
function isThisMachine(address: string): boolean {
  return ['127.0.0.1', '::1', 'localhost'].includes(unwrapped(address))
}

/** Whether what is sent there stays on this machine. Says nothing about who sends from there. */
export function isLoopback(address: string): boolean {
  const plain = unwrapped(address)
  return plain === 'localhost' || plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain)
}

function unwrapped(address: string): string {
  return address.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '')
}

type Bindings = {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
  readonly isUnixSocket?: boolean
}

/** As @hono/node-server passes it on. */
export function peerAddress(c: Context): string | null {
  return ((c.env ?? {}) as Bindings).incoming?.socket?.remoteAddress ?? null
}

/** Set by the listener of the Unix socket, never concluded from the request. */
export function cameByUnixSocket(c: Context): boolean {
  return ((c.env ?? {}) as Bindings).isUnixSocket === true
}
