import { timingSafeEqual } from 'node:crypto'
import { tokenState } from '#/core/access/token.ts'
import type { KnownToken, TokenState } from '#/core/access/token.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { StoredToken, Tokens } from '#/ports/store/tokens.ts'
import type { TokenSource } from '#/ports/token-source.ts'
import { digestOf, isMinted } from './token-text.ts'

export type FoundToken =
  | { readonly kind: 'found'; readonly token: KnownToken; readonly state: TokenState }
  | { readonly kind: 'unknown' }
  /** A configured file cannot be used, and the token is not known elsewhere. */
  | { readonly kind: 'unusable'; readonly setting: string; readonly fault: string }

export type TokenBook = {
  /** Rejects with `StoreUnavailable` where only the store could know the token. */
  readonly find: (shown: string) => Promise<FoundToken>
  /** Stored tokens have changed here; those of other replicas are noticed within seconds. */
  readonly changed: () => void
  readonly list: () => Promise<readonly ListedToken[]>
}

export type ListedToken = Omit<KnownToken, 'digest'> & {
  readonly createdAt: number | null
  readonly createdBy: string | null
  readonly lastUsedAt: number | null
  readonly source: 'store' | 'file'
}

export type TokenBookMeans = {
  readonly store: Pick<Tokens, 'list' | 'use'>
  readonly files: readonly TokenSource[]
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/** How long a token that another replica revoked may still be accepted here. */
const READ_AGAIN_MS = 5000
/** A token that another replica has just created; also the bound on queries that wrong tokens can cause. */
const LOOK_AGAIN_MS = 1000
const USE_WRITTEN_MS = 60_000

/** All tokens, from files and from the store. They are few, and held in memory: a wrong guess costs no query. */
export function createTokenBook({ store, files, clock, log }: TokenBookMeans): TokenBook {
  const stored = readStored(store, clock)
  const used = new Map<string, number>()
  const noteUse = (digest: string, isStored: boolean): void => {
    const now = clock.now()
    if (Math.abs(now - (used.get(digest) ?? -Infinity)) < USE_WRITTEN_MS) return
    used.set(digest, now)
    if (!isStored) return
    store.use(digest, now).catch((error: unknown) => {
      log.warn('cannot store when a token was used', { why: error instanceof Error ? error.message : 'unknown' })
    })
  }
  const accept = (token: KnownToken, isStored: boolean): FoundToken => {
    const state = tokenState(token, clock.now())
    if (state === 'valid') noteUse(token.digest, isStored)
    return { kind: 'found', token, state }
  }
  return {
    find: async (shown) => {
      const digest = Buffer.from(digestOf(shown), 'hex')
      const configured = await readFiles(files)
      const filed = pick(configured.tokens, digest)
      if (filed !== null) return accept(filed, false)
      if (isMinted(shown)) {
        const known =
          pick(await stored.within(READ_AGAIN_MS), digest) ?? pick(await stored.within(LOOK_AGAIN_MS), digest)
        if (known !== null) return accept(known, true)
      }
      return configured.fault ?? { kind: 'unknown' }
    },
    changed: stored.forget,
    list: async () => {
      const { tokens } = await readFiles(files)
      return [
        ...tokens.map((token) =>
          listed({ ...token, ...UNRECORDED, lastUsedAt: used.get(token.digest) ?? null }, 'file'),
        ),
        ...(await stored.within(0)).map((token) => listed(token, 'store')),
      ]
    },
  }
}

const UNRECORDED = { createdAt: null, createdBy: null }

function listed(
  { digest: _digest, ...token }: Omit<ListedToken, 'source'> & Pick<KnownToken, 'digest'>,
  source: ListedToken['source'],
): ListedToken {
  return { ...token, source }
}

/** Compares with every one in constant time: how long it takes shows neither a match nor a near miss. */
export function pick<T extends Pick<KnownToken, 'digest'>>(tokens: readonly T[], digest: Buffer): T | null {
  let found: T | null = null
  for (const token of tokens) if (timingSafeEqual(Buffer.from(token.digest, 'hex'), digest)) found = token
  return found
}

async function readFiles(files: readonly TokenSource[]) {
  const tokens: KnownToken[] = []
  let fault: Extract<FoundToken, { kind: 'unusable' }> | null = null
  for (const { setting, read } of files) {
    const content = await read()
    if ('fault' in content) fault ??= { kind: 'unusable', setting, fault: content.fault }
    else tokens.push(...content.tokens)
  }
  return { tokens, fault }
}

type StoredReading = { readonly at: number; readonly tokens: Promise<readonly StoredToken[]> }

/** The stored tokens, read at most once at a time. */
function readStored(store: Pick<Tokens, 'list'>, clock: Pick<Clock, 'now'>) {
  let reading: StoredReading | null = null
  const read = (): StoredReading => {
    const begun = { at: clock.now(), tokens: store.list() }
    // What failed is read again by the next who asks.
    begun.tokens.catch(() => {
      if (reading === begun) reading = null
    })
    return begun
  }
  return {
    /** As they were at most `ms` ago. */
    within: async (ms: number): Promise<readonly StoredToken[]> => {
      // A clock that was set back must not keep an old list for hours.
      const isFresh = reading !== null && Math.abs(clock.now() - reading.at) < ms
      if (reading === null || !isFresh) reading = read()
      return await reading.tokens
    },
    forget: (): void => {
      reading = null
    },
  }
}
