import { describe, expect, it } from 'vitest'
import type { BreakerRow } from '#/ports/store/breakers.ts'
import type { FindingRow } from '#/ports/store/findings.ts'
import type { Store } from '#/ports/store/store.ts'

export function findingsAndBreakersContract(store: () => Store): void {
  const finding = (key: string, overrides: Partial<FindingRow> = {}): FindingRow => ({
    key,
    class: 'leak',
    severity: 'warning',
    document: { pod: key, nested: [1, null, 'ü'] },
    ...overrides,
  })
  const breaker = (overrides: Partial<BreakerRow> = {}): BreakerRow => ({
    key: 'node/n1',
    generation: 0,
    failures: 1,
    openUntil: null,
    why: null,
    changedAt: 10,
    ...overrides,
  })

  describe('findings', () => {
    it('of an audit replace its former ones, and what stays keeps its first time', async () => {
      await store().findings.replace('runners', 10, [finding('b'), finding('a')])
      await store().findings.replace('other', 11, [finding('a')])
      await store().findings.replace('runners', 20, [finding('b', { severity: 'error' }), finding('c')])
      expect(await store().findings.list({ audit: 'runners', limit: 10 })).toEqual([
        { audit: 'runners', firstSeenAt: 10, lastSeenAt: 20, ...finding('b', { severity: 'error' }) },
        { audit: 'runners', firstSeenAt: 20, lastSeenAt: 20, ...finding('c') },
      ])
      expect((await store().findings.list({ limit: 10 })).map(({ audit, key }) => [audit, key])).toEqual([
        ['other', 'a'],
        ['runners', 'b'],
        ['runners', 'c'],
      ])
      expect(await store().findings.list({ limit: 2 })).toHaveLength(2)
    })

    it('that disappear and return get a new first time, and an audit can have none', async () => {
      await store().findings.replace('runners', 10, [finding('a')])
      await store().findings.replace('runners', 20, [])
      expect(await store().findings.list({ limit: 10 })).toEqual([])
      await store().findings.replace('runners', 30, [finding('a')])
      expect(await store().findings.list({ limit: 10 })).toMatchObject([{ firstSeenAt: 30 }])
    })

    it('with the same key are one finding, the last', async () => {
      await store().findings.replace('runners', 10, [finding('a'), finding('a', { class: 'zombie' })])
      expect(await store().findings.list({ limit: 10 })).toMatchObject([{ key: 'a', class: 'zombie' }])
    })
  })

  describe('breakers', () => {
    it('are put by compare-and-set on the generation', async () => {
      expect(await store().breakers.get('node/n1')).toBeNull()
      expect(await store().breakers.put(breaker())).toBe('committed')
      expect(await store().breakers.put(breaker({ failures: 9 }))).toBe('stale')
      const opened = breaker({ generation: 1, failures: 3, openUntil: 99, why: 'three pods did not start' })
      expect(await store().breakers.put(opened)).toBe('committed')
      expect(await store().breakers.put(opened)).toBe('stale')
      expect(await store().breakers.get('node/n1')).toEqual({ ...opened, generation: 2 })
    })

    it('that do not exist cannot be changed', async () => {
      expect(await store().breakers.put(breaker({ generation: 4 }))).toBe('stale')
      expect(await store().breakers.get('node/n1')).toBeNull()
    })

    it('are listed by key', async () => {
      await store().breakers.put(breaker({ key: 'node/n2' }))
      await store().breakers.put(breaker({ key: 'credential/c' }))
      expect((await store().breakers.list()).map(({ key }) => key)).toEqual(['credential/c', 'node/n2'])
    })
  })
}
