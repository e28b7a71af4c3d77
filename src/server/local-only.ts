import type { Context } from 'hono'

/** How a request arrived, as far as it identifies the caller. */
export type Caller = {
  readonly peer: string | null
  readonly host: string | null
  readonly origin: string | null
  /** A proxy added a header that names another client. */
  readonly isForwarded: boolean
}

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

export function readCaller(c: Context, readPeer: (c: Context) => string | null): Caller {
  return {
    peer: readPeer(c),
    host: c.req.header('host') ?? null,
    origin: c.req.header('origin') ?? null,
    isForwarded: FORWARDING.some((name) => c.req.header(name) !== undefined),
  }
}

/** Why the caller is not on this machine; null if it is. */
export function whyNotLocal({ peer, host, origin, isForwarded }: Caller): string | null {
  if (peer === null || !isLoopback(peer)) return 'the request comes from another machine'
  if (isForwarded) return 'the request comes through a proxy'
  // DNS rebinding, or a web page in a person's browser, must not count as this machine.
  if (host !== null && !isLoopback(hostIn(`http://${host}`))) return 'the Host header names another host'
  return origin === null ? null : 'the request comes from a web page'
}

function hostIn(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

export function isLoopback(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '')
  return plain === 'localhost' || plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain)
}

/** As @hono/node-server passes it on. */
export function peerAddress(c: Context): string | null {
  const { incoming } = (c.env ?? {}) as {
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
  }
  return incoming?.socket?.remoteAddress ?? null
}
