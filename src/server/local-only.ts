import type { Context } from 'hono'

/** How a request came here, as far as it tells who asks. */
export type Caller = {
  readonly peer: string | null
  readonly host: string | null
  readonly origin: string | null
  /** A proxy says that it asks for somebody else. */
  readonly isForwarded: boolean
}

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

export function callerOf(c: Context, peerOf: (c: Context) => string | null): Caller {
  return {
    peer: peerOf(c),
    host: c.req.header('host') ?? null,
    origin: c.req.header('origin') ?? null,
    isForwarded: FORWARDING.some((name) => c.req.header(name) !== undefined),
  }
}

/** Why it is not this machine that asks; null where it is. */
export function whyNotLocal({ peer, host, origin, isForwarded }: Caller): string | null {
  if (peer === null || !isLoopback(peer)) return 'the question comes from another machine'
  if (isForwarded) return 'the question comes through a proxy'
  // A name that leads here by somebody's DNS, or a page that asks in a person's browser, is not this machine asking.
  if (host !== null && !isLoopback(hostIn(`http://${host}`))) return 'the question is put to a foreign name'
  return origin === null ? null : 'the question comes from a web page'
}

function hostIn(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

export function isLoopback(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '')
  return plain === 'localhost' || plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain)
}

/** As @hono/node-server hands it on. */
export function peerAddress(c: Context): string | null {
  const { incoming } = (c.env ?? {}) as {
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
  }
  return incoming?.socket?.remoteAddress ?? null
}
