/**
 * What a source showed about one fact. `none`: the source was observing and there is none. `blind`: it was not observing.
 * No accessor turns a blind fact into a value: narrow on `kind`, or define each case with `judge`.
 */
export type Observed<T> = Seen<T> | None | Blind
export type Seen<T> = { readonly kind: 'seen'; readonly value: T }
export type None = { readonly kind: 'none' }
export type Blind = { readonly kind: 'blind'; readonly reason: BlindReason }

export type BlindReason = {
  readonly code: BlindCode
  /** One line for people: what was requested and what came back. Never a secret. */
  readonly detail: string
}

export const BLIND_CODES = [
  'forbidden',
  'unauthenticated',
  'unreachable',
  'timeout',
  'rate-limited',
  'server-error',
  'truncated',
  'malformed',
  'too-large',
  'expired',
  'unsupported',
  'refused-by-limits',
  'not-asked',
  'stopped',
] as const

export type BlindCode = (typeof BLIND_CODES)[number]

const NONE: None = { kind: 'none' }

export function seen<T>(value: T): Seen<T> {
  return { kind: 'seen', value }
}

export function none(): None {
  return NONE
}

export function blind(code: BlindCode, detail: string): Blind {
  return { kind: 'blind', reason: { code, detail } }
}

/** For people: a reason that was read from a bundle begins with its code already. */
export function describeReason({ code, detail }: BlindReason): string {
  return detail.startsWith(`${code}: `) ? detail : `${code}: ${detail}`
}

/** A complete list: an empty one from a source that was observing is `none`. */
export function seenList<T>(rows: readonly T[]): Observed<readonly T[]> {
  return rows.length === 0 ? NONE : seen(rows)
}

export function judge<T, R>(
  observed: Observed<T>,
  cases: {
    readonly seen: (value: T) => R
    readonly none: () => R
    readonly blind: (reason: BlindReason) => R
  },
): R {
  switch (observed.kind) {
    case 'seen':
      return cases.seen(observed.value)
    case 'none':
      return cases.none()
    case 'blind':
      return cases.blind(observed.reason)
  }
}

export function mapSeen<T, R>(observed: Observed<T>, change: (value: T) => R): Observed<R> {
  return observed.kind === 'seen' ? seen(change(observed.value)) : observed
}

/** Both facts or neither: if one is blind the pair is blind, because half an answer looks like a whole one. */
export function both<A, B>(a: Observed<A>, b: Observed<B>): Observed<readonly [A, B]> {
  if (a.kind === 'blind') return a
  if (b.kind === 'blind') return b
  return a.kind === 'seen' && b.kind === 'seen' ? seen([a.value, b.value]) : NONE
}
