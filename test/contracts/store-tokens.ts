import { describe, expect, it } from 'vitest'
import type { NewToken, StoredToken } from '#/ports/store/tokens.ts'
import type { Store } from '#/ports/store/store.ts'

const digest = (letter: string): string => letter.repeat(64)

function token(name: string, letter: string, changes: Partial<NewToken> = {}): NewToken {
  const times = { createdAt: 1000, expiresAt: 5000 }
  return { name, digest: digest(letter), role: 'read', createdBy: 'socket/root', ...times, ...changes }
}

const stored = (given: NewToken, changes: Partial<StoredToken> = {}): StoredToken => ({
  ...given,
  lastUsedAt: null,
  revokedAt: null,
  ...changes,
})

export function tokensContract(store: () => Store): void {
  const add = async (given: NewToken, forgetBefore = 0) => await store().tokens.add(given, forgetBefore)

  describe('tokens', () => {
    it('are read back unchanged, by name', async () => {
      const never = token('b', 'b', { role: 'operate', expiresAt: null })
      expect([await add(never), await add(token('a', 'a'))]).toEqual(['added', 'added'])
      expect(await store().tokens.list()).toEqual([stored(token('a', 'a')), stored(never)])
    })

    it('have one valid one of a name; the name of an expired or revoked one is free', async () => {
      await add(token('a', 'a'))
      expect(await add(token('a', 'b', { createdAt: 4999 }))).toBe('taken')
      expect(await add(token('a', 'b', { createdAt: 5000, expiresAt: 9000 }))).toBe('added')
      expect(await store().tokens.revoke('a', 6000)).toBe('revoked')
      expect(await add(token('a', 'c', { createdAt: 6000, expiresAt: null }))).toBe('added')
      const ended = (await store().tokens.list()).map(({ revokedAt }) => revokedAt)
      expect(ended).toEqual([5000, 6000, null])
    })

    it('are one token each, whatever their names are', async () => {
      await add(token('a', 'a'))
      expect(await add(token('b', 'a'))).toBe('taken')
    })

    it('are revoked once', async () => {
      await add(token('a', 'a'))
      expect(await store().tokens.revoke('b', 2000)).toBe('unknown')
      expect(await store().tokens.revoke('a', 2000)).toBe('revoked')
      expect(await store().tokens.revoke('a', 3000)).toBe('unknown')
      expect(await store().tokens.list()).toEqual([stored(token('a', 'a'), { revokedAt: 2000 })])
    })

    it('have the time of their latest use', async () => {
      await add(token('a', 'a'))
      for (const at of [2000, 3000, 2500]) await store().tokens.use(digest('a'), at)
      await store().tokens.use(digest('f'), 4000)
      expect(await store().tokens.list()).toEqual([stored(token('a', 'a'), { lastUsedAt: 3000 })])
    })

    it('are forgotten long after they ended, and only then', async () => {
      await add(token('expired', 'a', { expiresAt: 2000 }))
      await add(token('revoked', 'b', { expiresAt: null }))
      await store().tokens.revoke('revoked', 3000)
      await add(token('valid', 'c', { expiresAt: null }))
      const names = async () => (await store().tokens.list()).map(({ name }) => name)
      await add(token('x', 'd'), 2000)
      expect(await names()).toEqual(['expired', 'revoked', 'valid', 'x'])
      await add(token('y', 'e'), 3001)
      expect(await names()).toEqual(['valid', 'x', 'y'])
    })
  })
}
