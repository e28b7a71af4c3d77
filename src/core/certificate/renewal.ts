/** A certificate as far as it matters for its renewal. `isUsable`: it can be read, and its key belongs to it. */
export type Held = { readonly isUsable: boolean; readonly from: number; readonly to: number }

export type HeldPair = {
  readonly authority: Held | null
  /** `isIssued`: by that authority. */
  readonly server: (Held & { readonly isIssued: boolean; readonly names: readonly string[] }) | null
}

const DAY_MS = 86_400_000
/** The API server's audit webhook has a copy of the authority, which people renew by hand: so it lives long. */
export const AUTHORITY_DAYS = 3650
export const SERVER_DAYS = 365
/** Long before the end, so that a server that was off for a while still has a valid one. */
const RENEW_SERVER_DAYS = 120
/** A certificate must not outlive its authority. */
const RENEW_AUTHORITY_DAYS = SERVER_DAYS + 30

/** For clocks of others that are behind ours. */
const BEFORE_MS = DAY_MS

export function validFor(days: number, now: number): { readonly from: number; readonly to: number } {
  return { from: now - BEFORE_MS, to: now + days * DAY_MS }
}

export type Renewal = 'none' | 'server' | 'authority'

/** What has to be made anew; a new authority also means a new server certificate. */
export function decideRenewal({ authority, server }: HeldPair, names: readonly string[], now: number): Renewal {
  if (authority === null || !authority.isUsable || isDue(authority, RENEW_AUTHORITY_DAYS, now)) return 'authority'
  if (server === null || !server.isUsable || !server.isIssued) return 'server'
  return isDue(server, RENEW_SERVER_DAYS, now) || !isSame(server.names, names) ? 'server' : 'none'
}

/** Also before its time, where a clock was set back by more than a day. */
function isDue({ from, to }: Held, days: number, now: number): boolean {
  return to - now < days * DAY_MS || now < from
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  const all = new Set(others)
  return new Set(some).size === all.size && some.every((name) => all.has(name))
}
