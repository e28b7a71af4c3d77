import { describe, expect, it } from 'vitest'
import type { LivePod } from '#/ports/store/live-pods.ts'
import type { Store } from '#/ports/store/store.ts'
import { deathRecord } from './store-builders.ts'

const livePod = (uid: string, overrides: Partial<LivePod> = {}): LivePod => ({
  uid,
  namespace: 'runners',
  pod: `runner-${uid}`,
  node: null,
  pool: null,
  seenAt: 1,
  object: { metadata: { uid }, status: { phase: 'Running' } },
  ...overrides,
})

export function livePodsContract(store: () => Store): void {
  const all = async () => await store().livePods.page(null, 100)

  describe('live pods', () => {
    it('are read back unchanged, in the order of their UIDs', async () => {
      await store().livePods.put([livePod('b', { node: 'n1', pool: 'linux' }), livePod('a')])
      expect(await all()).toEqual([livePod('a'), livePod('b', { node: 'n1', pool: 'linux' })])
    })

    it('are replaced by later ones, never by earlier ones', async () => {
      await store().livePods.put([livePod('a', { seenAt: 5, node: 'n1' })])
      await store().livePods.put([livePod('a', { seenAt: 4, node: 'n0' })])
      expect(await all()).toEqual([livePod('a', { seenAt: 5, node: 'n1' })])
      await store().livePods.put([
        livePod('a', { seenAt: 7, node: 'n3', object: null }),
        livePod('a', { seenAt: 6, node: 'n2' }),
      ])
      expect(await all()).toEqual([livePod('a', { seenAt: 7, node: 'n3', object: null })])
    })

    it('are removed by UID, and only those', async () => {
      await store().livePods.put(['a', 'b', 'c'].map((uid) => livePod(uid)))
      await store().livePods.remove(['a', 'c', 'x'])
      await store().livePods.remove([])
      await store().livePods.put([])
      expect((await all()).map(({ uid }) => uid)).toEqual(['b'])
    })

    it('are found by name, the latest first, without those whose death is recorded', async () => {
      const named = (uid: string, seenAt: number) => livePod(uid, { pod: 'runner', node: 'n1', pool: 'p', seenAt })
      await store().livePods.put([named('a', 1), named('b', 3), named('c', 2), livePod('d'), named('e', 9)])
      await store().deaths.record(deathRecord('e', { pod: 'runner' }), [])
      const found = await store().livePods.named('runner', 2)
      const known = { namespace: 'runners', pod: 'runner', node: 'n1', pool: 'p' }
      expect(found).toEqual([
        { uid: 'b', ...known, seenAt: 3 },
        { uid: 'c', ...known, seenAt: 2 },
      ])
      expect(await store().livePods.named('nobody', 2)).toEqual([])
    })

    it('are read page by page', async () => {
      await store().livePods.put(['a', 'b', 'c'].map((uid) => livePod(uid)))
      expect((await store().livePods.page(null, 2)).map(({ uid }) => uid)).toEqual(['a', 'b'])
      expect((await store().livePods.page('b', 2)).map(({ uid }) => uid)).toEqual(['c'])
    })
  })

  describe('notifications', () => {
    it('are claimed once for each channel', async () => {
      const { notices } = store()
      expect(await notices.claim({ channel: 'slack', key: 'a', at: 1 })).toBe('new')
      expect(await notices.claim({ channel: 'slack', key: 'a', at: 2 })).toBe('repeated')
      expect(await notices.claim({ channel: 'teams', key: 'a', at: 3 })).toBe('new')
    })

    it('can be claimed again after a release', async () => {
      const { notices } = store()
      await notices.claim({ channel: 'slack', key: 'a', at: 1 })
      await notices.release('slack', 'a')
      await notices.release('slack', 'never')
      expect(await notices.claim({ channel: 'slack', key: 'a', at: 2 })).toBe('new')
    })

    it('are looked up without being claimed', async () => {
      const { notices } = store()
      expect(await notices.has('slack', 'a')).toBe(false)
      expect(await notices.claim({ channel: 'slack', key: 'a', at: 1 })).toBe('new')
      expect([await notices.has('slack', 'a'), await notices.has('teams', 'a')]).toEqual([true, false])
      await notices.release('slack', 'a')
      expect(await notices.has('slack', 'a')).toBe(false)
    })

    it('are counted by channel and time', async () => {
      const { notices } = store()
      for (const [key, at] of [
        ['a', 1],
        ['b', 5],
        ['c', 9],
      ] as const) {
        await notices.claim({ channel: 'slack', key, at })
      }
      await notices.claim({ channel: 'teams', key: 'a', at: 9 })
      expect([await notices.count('slack', 5), await notices.count('slack', 10), await notices.count('x', 0)]).toEqual([
        2, 0, 0,
      ])
    })

    it('are removed with deaths of the same age', async () => {
      await store().notices.claim({ channel: 'slack', key: 'old', at: 9 })
      await store().notices.claim({ channel: 'slack', key: 'young', at: 10 })
      const forever = { deliveriesMs: 1e12, finishedJobsMs: 1e12, ledgerMs: 1e12, evidenceBytes: 1e12 }
      expect(await store().retention.sweep({ ...forever, deathsMs: 90 }, 100)).toMatchObject({ notices: 1 })
      expect(await store().notices.claim({ channel: 'slack', key: 'young', at: 11 })).toBe('repeated')
    })
  })
}
