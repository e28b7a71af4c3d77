import { describe, expect, it } from 'vitest'
import type { LedgerEntry } from '#/ports/store/ledger.ts'
import type { Store } from '#/ports/store/store.ts'

export function ledgerContract(store: () => Store): void {
  const entry = (at: number, overrides: Partial<LedgerEntry> = {}): LedgerEntry => ({
    at,
    act: 'delete-pod',
    subject: 'pod/runners/a',
    actor: 'reaper',
    outcome: 'refused',
    proofs: [{ gate: 'not-busy', holds: false, why: 'GitHub says "busy"' }],
    ...overrides,
  })

  describe('ledger', () => {
    it('lists its entries as they were appended, the latest first', async () => {
      const first = await store().ledger.append(entry(10))
      const second = await store().ledger.append(entry(10, { outcome: 'done', proofs: [] }))
      const earlier = await store().ledger.append(entry(5))
      expect(await store().ledger.list({ limit: 10 })).toEqual([
        { id: second, ...entry(10, { outcome: 'done', proofs: [] }) },
        { id: first, ...entry(10) },
        { id: earlier, ...entry(5) },
      ])
    })

    it('lists by time, by subject, and up to the limit', async () => {
      await store().ledger.append(entry(10))
      await store().ledger.append(entry(20, { subject: 'pod/runners/b' }))
      await store().ledger.append(entry(30))
      const times = async (filter: { since?: number; subject?: string; limit: number }) =>
        (await store().ledger.list(filter)).map(({ at }) => at)
      expect(await times({ since: 20, limit: 10 })).toEqual([30, 20])
      expect(await times({ subject: 'pod/runners/a', limit: 10 })).toEqual([30, 10])
      expect(await times({ limit: 1 })).toEqual([30])
    })
  })
}
