import { describe, expect, it } from 'vitest'
import type { Involvement } from '#/core/dispatch/assignment.ts'
import type { Store } from '#/ports/store/store.ts'
import { appeared, claim, jobFacts, mint, queued, recordAll } from './store-builders.ts'

export function involvedContract(store: () => Store): void {
  const involved = async (key: Partial<Involvement>) => {
    const found = await store().assignments.involved({ job: null, slot: null, runner: null, ...key })
    return {
      job: found.job?.id ?? null,
      slot: found.slot?.uid ?? null,
      meantForJob: found.meantForJob?.uid ?? null,
      meantForSlot: found.meantForSlot?.id ?? null,
    }
  }
  const none = { job: null, slot: null, meantForJob: null, meantForSlot: null }

  /** Job 1 is intended for slot `a` and job 2 for slot `b`; both have a runner. */
  const twoMinted = async () => {
    await recordAll(store(), queued(1), queued(2), appeared('a'), appeared('b'))
    await claim(store(), 1, 'a')
    await claim(store(), 2, 'b')
    await mint(store(), 'a', { id: 11, name: 'runner-a' })
    await mint(store(), 'b', { id: null, name: 'runner-b' })
  }

  describe('involved', () => {
    it('finds the slot by its UID in every state', async () => {
      await recordAll(store(), appeared('a'), { kind: 'slot-lost', at: 5, uid: 'a' })
      expect(await involved({ slot: 'a' })).toEqual({ ...none, slot: 'a' })
      expect(await involved({ slot: 'unknown' })).toEqual(none)
    })

    it("finds the slot by its runner, and none by an id that is another owner's runner", async () => {
      await twoMinted()
      expect(await involved({ runner: { id: 11, name: 'runner-a' } })).toMatchObject({ slot: 'a', meantForSlot: 1 })
      expect(await involved({ runner: { id: 11, name: 'theirs' } })).toEqual(none)
    })

    it('uses a name only when the slot or the event has no id', async () => {
      await twoMinted()
      expect(await involved({ runner: { id: 99, name: 'runner-a' } })).toEqual(none)
      expect(await involved({ runner: { id: null, name: 'runner-a' } })).toMatchObject({ slot: 'a' })
      expect(await involved({ runner: { id: 99, name: 'runner-b' } })).toMatchObject({ slot: 'b' })
    })

    it('prefers the slot whose runner has the id to one that only has the name', async () => {
      await twoMinted()
      await recordAll(store(), queued(3), appeared('0'))
      await claim(store(), 3, '0')
      await mint(store(), '0', { id: null, name: 'runner-a' })
      expect(await involved({ runner: { id: 11, name: 'runner-a' } })).toMatchObject({ slot: 'a' })
      await recordAll(store(), { kind: 'slot-registered', at: 1500, runner: { id: 11, name: 'runner-a' } })
      expect(await involved({ runner: { id: 11, name: 'runner-a' } })).toMatchObject({ slot: 'a' })
    })

    it('finds a slot by its runner after its pod is gone, but prefers a live one with the same runner', async () => {
      await twoMinted()
      await recordAll(store(), { kind: 'slot-ended', at: 5000, uid: 'a' })
      expect(await involved({ job: 2, runner: { id: 11, name: 'runner-a' } })).toEqual({
        job: 2,
        slot: 'a',
        meantForJob: 'b',
        meantForSlot: 1,
      })
      await recordAll(store(), queued(3), appeared('c', { appearedAt: 0 }))
      await claim(store(), 3, 'c')
      await mint(store(), 'c', { id: 11, name: 'runner-a' })
      expect(await involved({ runner: { id: 11, name: 'runner-a' } })).toMatchObject({ slot: 'c' })
    })

    it('takes the slot that appeared last among those with the same name', async () => {
      await recordAll(store(), queued(1), queued(2), appeared('a', { appearedAt: 1 }), appeared('b', { appearedAt: 2 }))
      await claim(store(), 1, 'a')
      await claim(store(), 2, 'b')
      await mint(store(), 'a', { id: null, name: 'twin' })
      await mint(store(), 'b', { id: null, name: 'twin' })
      expect(await involved({ runner: { id: null, name: 'twin' } })).toMatchObject({ slot: 'b' })
    })

    it('names the other slot that has the intended job, and the other job that is intended for the slot', async () => {
      await twoMinted()
      expect(await involved({ job: 2, runner: { id: 11, name: 'runner-a' } })).toEqual({
        job: 2,
        slot: 'a',
        meantForJob: 'b',
        meantForSlot: 1,
      })
    })

    it('names no other when the job is intended for the slot', async () => {
      await twoMinted()
      const both = { ...none, job: 1, slot: 'a' }
      expect(await involved({ job: 1, runner: { id: 11, name: 'runner-a' } })).toEqual(both)
    })

    it('finds the live slot with the intended job when the event names no slot, and no dead one', async () => {
      await twoMinted()
      expect(await involved({ job: 1 })).toEqual({ ...none, job: 1, meantForJob: 'a' })
      await recordAll(store(), { kind: 'slot-lost', at: 5000, uid: 'a' })
      expect(await involved({ job: 1 })).toEqual({ ...none, job: 1 })
    })

    it('finds an executing slot by its runner, without an intended job', async () => {
      await twoMinted()
      await recordAll(store(), {
        kind: 'job-started',
        at: 3000,
        facts: jobFacts(1),
        runner: { id: 11, name: 'runner-a' },
      })
      expect(await involved({ job: 1, runner: { id: null, name: 'runner-a' } })).toEqual({
        ...none,
        job: 1,
        slot: 'a',
      })
    })
  })
}
