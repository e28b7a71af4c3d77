import { describe, expect, it } from 'vitest'
import { MAX_DELIVERY_BYTES } from '#/ports/store/deliveries.ts'
import type { Store } from '#/ports/store/store.ts'
import { delivery } from './store-builders.ts'

export function deliveriesContract(store: () => Store): void {
  describe('deliveries', () => {
    it('are pending as they came, oldest first, up to the limit', async () => {
      const [late, early] = [
        delivery('a', { receivedAt: 20 }),
        delivery('b', { receivedAt: 10, body: '{"ü": "\\u0000"}\n' }),
      ]
      expect(await store().deliveries.record(late)).toBe('new')
      expect(await store().deliveries.record(early)).toBe('new')
      expect(await store().deliveries.pending(10)).toEqual([early, late])
      expect(await store().deliveries.pending(1)).toEqual([early])
    })

    it('are recorded once: a repeated GUID changes nothing, before and after it was settled', async () => {
      const first = delivery('a')
      await store().deliveries.record(first)
      expect(await store().deliveries.record(delivery('a', { body: 'another' }))).toBe('repeated')
      expect(await store().deliveries.pending(10)).toEqual([first])
      await store().deliveries.settle('a', { at: 5, result: 'applied', why: null })
      expect(await store().deliveries.record(first)).toBe('repeated')
      expect(await store().deliveries.pending(10)).toEqual([])
    })

    it('that are unknown or settled can be settled again without effect', async () => {
      await store().deliveries.record(delivery('a'))
      await store().deliveries.settle('unknown', { at: 5, result: 'ignored', why: 'not ours' })
      expect(await store().deliveries.pending(10)).toHaveLength(1)
      await store().deliveries.settle('a', { at: 5, result: 'refused', why: 'malformed' })
      await store().deliveries.settle('a', { at: 6, result: 'applied', why: null })
      expect(await store().deliveries.pending(10)).toEqual([])
    })

    it('are refused above the size that GitHub sends', async () => {
      const body = 'ü'.repeat(MAX_DELIVERY_BYTES / 2)
      expect(await store().deliveries.record(delivery('large', { body: `${body}x` }))).toBe('too-large')
      expect(await store().deliveries.pending(10)).toEqual([])
      expect(await store().deliveries.record(delivery('full', { body }))).toBe('new')
    })
  })
}
