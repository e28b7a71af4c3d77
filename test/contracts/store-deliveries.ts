import { describe, expect, it } from 'vitest'
import { DELIVERY_OUTCOMES, OPEN_OUTCOMES } from '#/core/webhooks/outcome.ts'
import type { DeliveryOutcome } from '#/core/webhooks/outcome.ts'
import { MAX_DELIVERY_BYTES } from '#/ports/store/deliveries.ts'
import type { Store } from '#/ports/store/store.ts'
import { delivery } from './store-builders.ts'

export function deliveriesContract(store: () => Store): void {
  const settle = async (guid: string, outcome: DeliveryOutcome, at = 5): Promise<boolean> =>
    await store().deliveries.settle(guid, { at, outcome, why: null })
  const takeAt = async (at: number, limit = 10): Promise<readonly (readonly [string, number])[]> => {
    const taken = await store().deliveries.take({ at, until: at + 100, limit })
    return taken.map(({ guid, attempts }) => [guid, attempts])
  }

  describe('deliveries', () => {
    it('are pending as they came, oldest first, up to the limit', async () => {
      const [late, early] = [
        delivery('a', { receivedAt: 20, job: 7, repository: 'acme/app' }),
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
      await settle('a', 'applied')
      expect(await store().deliveries.record(first)).toBe('repeated')
      expect(await store().deliveries.pending(10)).toEqual([])
    })

    it.each(DELIVERY_OUTCOMES)(
      'settled as %s come again with their GUID only if nothing was applied',
      async (outcome) => {
        const first = delivery('a')
        await store().deliveries.record(first)
        await settle('a', outcome)
        const isOpen = OPEN_OUTCOMES.includes(outcome)
        expect(await store().deliveries.record(delivery('a', { body: 'another' }))).toBe(isOpen ? 'again' : 'repeated')
        expect(await store().deliveries.pending(10)).toEqual(isOpen ? [first] : [])
      },
    )

    it('are settled once: the first outcome stands', async () => {
      await store().deliveries.record(delivery('a'))
      expect(await settle('unknown', 'stale')).toBe(false)
      expect(await store().deliveries.pending(10)).toHaveLength(1)
      expect(await settle('a', 'no-pool')).toBe(true)
      expect(await settle('a', 'applied')).toBe(false)
      expect(await store().deliveries.list({ outcomes: DELIVERY_OUTCOMES, limit: 10 })).toMatchObject([
        { guid: 'a', outcome: 'no-pool' },
      ])
    })

    it('are refused above the size that GitHub sends', async () => {
      const body = 'ü'.repeat(MAX_DELIVERY_BYTES / 2)
      expect(await store().deliveries.record(delivery('large', { body: `${body}x` }))).toBe('too-large')
      expect(await store().deliveries.pending(10)).toEqual([])
      expect(await store().deliveries.record(delivery('full', { body }))).toBe('new')
    })
  })

  describe('deliveries that are taken', () => {
    it('belong to the taker until the time that it gave, and are due again then', async () => {
      await store().deliveries.record(delivery('a', { job: 7, repository: 'acme/app' }))
      const taken = await store().deliveries.take({ at: 10, until: 110, limit: 10 })
      expect(taken).toEqual([{ ...delivery('a', { job: 7, repository: 'acme/app' }), attempts: 1 }])
      expect(await takeAt(109)).toEqual([])
      expect(await takeAt(110)).toEqual([['a', 2]])
    })

    it('are the oldest of each job, oldest first, up to the limit', async () => {
      for (const [guid, receivedAt, job] of [
        ['a', 3, 1],
        ['b', 2, 1],
        ['c', 1, 2],
        ['d', 4, null],
        ['e', 4, null],
      ] as const) {
        await store().deliveries.record(delivery(guid, { receivedAt, job }))
      }
      expect(await takeAt(10, 1)).toEqual([['c', 1]])
      expect(await takeAt(10)).toEqual(['b', 'd', 'e'].map((guid) => [guid, 1]))
      expect(await takeAt(11)).toEqual([])
      await settle('b', 'applied')
      expect(await takeAt(11)).toEqual([['a', 1]])
    })

    it('hold back the later ones of their job while they are postponed', async () => {
      await store().deliveries.record(delivery('a', { receivedAt: 1, job: 1 }))
      await store().deliveries.record(delivery('b', { receivedAt: 2, job: 1 }))
      await takeAt(10)
      await store().deliveries.postpone('a', { attempt: 1, at: 30, why: 'a fault', counts: true })
      expect(await takeAt(29)).toEqual([])
      expect(await takeAt(30)).toEqual([['a', 2]])
      await settle('a', 'parked')
      expect(await takeAt(31)).toEqual([['b', 1]])
    })

    it('do not count an attempt that was no fault of theirs', async () => {
      await store().deliveries.record(delivery('a'))
      await takeAt(10)
      await store().deliveries.postpone('a', { attempt: 1, at: 20, why: 'not yet', counts: false })
      expect(await takeAt(20)).toEqual([['a', 1]])
    })

    it('are postponed by their last taker only, and not once they are settled', async () => {
      await store().deliveries.record(delivery('a'))
      await takeAt(10)
      await takeAt(110)
      await store().deliveries.postpone('a', { attempt: 1, at: 120, why: 'late', counts: true })
      expect(await takeAt(120)).toEqual([])
      await settle('a', 'applied')
      await store().deliveries.postpone('a', { attempt: 2, at: 120, why: 'late', counts: true })
      expect(await takeAt(500)).toEqual([])
    })
  })

  describe('settled deliveries', () => {
    it('are listed by outcome, the latest first, without their bodies', async () => {
      for (const [index, outcome] of DELIVERY_OUTCOMES.entries()) {
        await store().deliveries.record(
          delivery(outcome, { receivedAt: index, job: index + 1, repository: 'acme/app' }),
        )
        await settle(outcome, outcome)
      }
      const listed = await store().deliveries.list({ outcomes: ['parked', 'no-pool', 'ambiguous-pool'], limit: 2 })
      expect(listed.map(({ guid }) => guid)).toEqual(['parked', 'ambiguous-pool'])
      expect(listed[0]).toEqual({
        guid: 'parked',
        event: 'workflow_job',
        receivedAt: 7,
        job: 8,
        repository: 'acme/app',
        attempts: 0,
        settledAt: 5,
        outcome: 'parked',
        why: null,
      })
    })

    it('are opened again by outcome and age, the latest of them', async () => {
      for (const [guid, receivedAt, outcome] of [
        ['old', 1, 'no-pool'],
        ['a', 10, 'no-pool'],
        ['b', 11, 'no-pool'],
        ['c', 12, 'unknown-runner'],
        ['d', 13, 'applied'],
      ] as const) {
        await store().deliveries.record(delivery(guid, { receivedAt }))
        await takeAt(10)
        await settle(guid, outcome)
      }
      const outcomes = ['no-pool', 'unknown-runner'] as const
      expect(await store().deliveries.reopen({ outcomes, receivedSince: 10, limit: 2 })).toBe(2)
      expect(await takeAt(10)).toEqual([
        ['b', 1],
        ['c', 1],
      ])
      expect(await store().deliveries.reopen({ outcomes, receivedSince: 10, limit: 9 })).toBe(1)
    })
  })
}
