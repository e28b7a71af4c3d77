import { timingSafeEqual } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Role } from '#/core/access/role.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Tokens } from '#/ports/store/tokens.ts'
import type { TokenSource } from '#/ports/token-source.ts'
import { createTokenBook } from './token-book.ts'
import { digestOf, isMinted, mintToken } from './token-text.ts'

vi.mock('node:crypto', async (original) => {
  const crypto = await original<{ readonly timingSafeEqual: typeof timingSafeEqual }>()
  return { ...crypto, timingSafeEqual: vi.fn<typeof timingSafeEqual>(crypto.timingSafeEqual) }
})

const MINUTE = 60_000

function opened({ files = [] as readonly TokenSource[], isAway = (): boolean => false } = {}) {
  const { tokens } = memoryStore()
  let now = 1_000_000
  let reads = 0
  const uses: number[] = []
  const store: Tokens = {
    ...tokens,
    list: async () => {
      reads += 1
      if (isAway()) throw new StoreUnavailable('away')
      return await tokens.list()
    },
    use: async (digest, at) => {
      uses.push(at)
      await tokens.use(digest, at)
    },
  }
  const book = createTokenBook({ store, files, clock: { now: () => now }, log: { warn: () => {} } })
  const add = async (name: string, changes: { role?: Role; expiresAt?: number | null } = {}): Promise<string> => {
    const token = mintToken()
    const made = { name, role: 'read' as const, createdAt: now, createdBy: 'test', expiresAt: null, ...changes }
    await tokens.add({ ...made, digest: digestOf(token) }, 0)
    return token
  }
  return { book, tokens, add, uses, reads: () => reads, pass: (ms: number) => (now += ms), now: () => now }
}

const fileOf = (token: string, name = 'file'): TokenSource => ({
  setting: 'api.tokenFile',
  read: async () => ({
    tokens: [{ name, role: 'operate', digest: digestOf(token), expiresAt: null, revokedAt: null }],
  }),
})
const BROKEN: TokenSource = { setting: 'api.tokensFile', read: async () => ({ fault: 'line 1' }) }

describe('a minted token', () => {
  it('has a prefix that scanners find, and a checksum', () => {
    const token = mintToken()
    expect(token).toMatch(/^sbx_[0-9a-f]{56}$/)
    expect(isMinted(token)).toBe(true)
    expect(mintToken()).not.toBe(token)
    const last = token.endsWith('0') ? '1' : '0'
    for (const wrong of [`${token.slice(0, -1)}${last}`, token.slice(4), `${token}0`, '', 'sbx_']) {
      expect(isMinted(wrong)).toBe(false)
    }
  })
})

describe('the tokens that are known', () => {
  it('are found in the store and in files, with their role and state', async () => {
    const { book, add, tokens, pass, now } = opened({ files: [fileOf('a-token-of-a-file')] })
    const token = await add('ci', { expiresAt: now() + MINUTE })
    expect(await book.find('a-token-of-a-file')).toMatchObject({ token: { role: 'operate' }, state: 'valid' })
    expect(await book.find(token)).toMatchObject({ token: { name: 'ci', role: 'read' }, state: 'valid' })
    expect(await book.find(mintToken())).toEqual({ kind: 'unknown' })
    pass(MINUTE)
    expect(await book.find(token)).toMatchObject({ state: 'expired' })
    await tokens.revoke('ci', now())
    book.changed()
    expect(await book.find(token)).toMatchObject({ state: 'revoked' })
  })

  it('can be several at once, so that one replaces another', async () => {
    const { book, add, tokens, now } = opened()
    const [first, second] = [await add('ci-1'), await add('ci-2')]
    expect([await book.find(first), await book.find(second)]).toMatchObject([{ state: 'valid' }, { state: 'valid' }])
    await tokens.revoke('ci-1', now())
    book.changed()
    expect([await book.find(first), await book.find(second)]).toMatchObject([{ state: 'revoked' }, { state: 'valid' }])
  })

  it('are compared in constant time with every one, wherever the match is', async () => {
    const { book, add } = opened()
    const made = [await add('a'), await add('b'), await add('c')]
    for (const shown of [...made, mintToken()]) {
      vi.mocked(timingSafeEqual).mockClear()
      await book.find(shown)
      expect(vi.mocked(timingSafeEqual).mock.calls.length % made.length).toBe(0)
      expect(vi.mocked(timingSafeEqual)).toHaveBeenCalled()
    }
  })

  it('are read again when another replica may have changed them, and wrong ones cause one query a second', async () => {
    const { book, add, tokens, reads, pass, now } = opened()
    const token = await add('ci')
    await book.find(token)
    for (let index = 0; index < 100; index += 1) await book.find(mintToken())
    await book.find('no-minted-token-and-so-no-reason-to-look')
    expect(reads()).toBe(1)
    pass(1000)
    const later = await add('later')
    expect(await book.find(later)).toMatchObject({ state: 'valid' })
    expect(reads()).toBe(2)
    await tokens.revoke('ci', now())
    expect(await book.find(token)).toMatchObject({ state: 'valid' })
    pass(5000)
    expect(await book.find(token)).toMatchObject({ state: 'revoked' })
  })

  it('are not guessed while the store is away; those of files are known', async () => {
    let isAway = true
    const { book, add } = opened({ files: [fileOf('a-token-of-a-file')], isAway: () => isAway })
    const token = await add('ci')
    await expect(book.find(token)).rejects.toThrow(StoreUnavailable)
    expect(await book.find('a-token-of-a-file')).toMatchObject({ state: 'valid' })
    isAway = false
    expect(await book.find(token)).toMatchObject({ state: 'valid' })
  })

  it('are known beside a file that cannot be used; others are not called wrong then', async () => {
    const { book, add } = opened({ files: [BROKEN, fileOf('a-token-of-a-file')] })
    const token = await add('ci')
    expect(await book.find(token)).toMatchObject({ state: 'valid' })
    expect(await book.find('a-token-of-a-file')).toMatchObject({ state: 'valid' })
    expect(await book.find('another')).toEqual({ kind: 'unusable', setting: 'api.tokensFile', fault: 'line 1' })
  })

  it('have the time of their last use, written once a minute', async () => {
    const { book, add, uses, pass, now } = opened({ files: [fileOf('a-token-of-a-file')] })
    const [token, unused] = [await add('ci'), await add('unused', { expiresAt: now() - 1 })]
    const first = now()
    for (const ms of [0, 1000, 58_999]) {
      pass(ms)
      await book.find(token)
    }
    expect(uses).toEqual([first])
    pass(1)
    await book.find(token)
    await book.find(unused)
    await book.find('a-token-of-a-file')
    expect(uses).toEqual([first, first + MINUTE])
    const listed = await book.list()
    expect(listed.map(({ name, source, lastUsedAt }) => [name, source, lastUsedAt])).toEqual([
      ['file', 'file', now()],
      ['ci', 'store', now()],
      ['unused', 'store', null],
    ])
    expect(JSON.stringify(listed)).not.toContain(digestOf(token))
  })
})
