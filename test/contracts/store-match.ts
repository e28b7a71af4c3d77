import { describe, expect, it } from 'vitest'
import type { Candidates } from '#/core/dispatch/fairness.ts'
import { chooseFairly, NO_RULES } from '#/core/dispatch/fairness.ts'
import type { MatchRequest } from '#/ports/store/assignments.ts'
import type { Store } from '#/ports/store/store.ts'
import { appeared, claim, getJob, getSlot, jobFacts, mint, queued, recordAll } from './store-builders.ts'

export function matchContract(store: () => Store): void {
  const request = (waiting: readonly string[], overrides: Partial<MatchRequest> = {}): MatchRequest => ({
    scope: 'pool',
    waiting,
    jobLimit: 100,
    at: 1000,
    ...overrides,
  })
  /** What `choose` is given. It claims nothing. */
  const candidatesFor = async (asked: MatchRequest): Promise<Candidates | null> => {
    let candidates: Candidates | null = null
    await store().assignments.match(asked, (given) => {
      candidates = given
      return []
    })
    return candidates
  }

  describe('match', () => {
    it('writes every pair with its history and returns the job of each slot', async () => {
      await recordAll(store(), queued(1), queued(2), queued(3), appeared('a'), appeared('b'))
      const claims = await store().assignments.match(request(['a', 'b']), chooseFairly())
      expect(claims.map(({ job, slot }) => [job.id, slot.uid])).toEqual([
        [1, 'a'],
        [2, 'b'],
      ])
      for (const { job, slot, handle } of claims) {
        expect(job).toMatchObject({ state: 'claimed', slot: slot.uid, claimedAt: 1000, generation: 2 })
        expect(slot).toMatchObject({ state: 'claimed', intended: job.id, claimedAt: 1000, generation: 2 })
        expect(handle).toEqual({ uid: slot.uid, generation: 2 })
        expect(await getJob(store().assignments, job.id)).toEqual(job)
        expect(await getSlot(store().assignments, slot.uid)).toEqual(slot)
        expect(await store().assignments.history(job.id)).toMatchObject([
          { generation: 1, to: 'queued' },
          { generation: 2, from: 'queued', to: 'claimed', event: { kind: 'claimed', slot: slot.uid }, at: 1000 },
        ])
      }
      expect(await getJob(store().assignments, 3)).toMatchObject({ state: 'queued', generation: 1 })
    })

    it('offers only warm slots of the scope, oldest first', async () => {
      await recordAll(store(), queued(1), queued(2), appeared('c'), appeared('b'), appeared('a', { appearedAt: 9 }))
      await recordAll(store(), appeared('elsewhere', { scope: 'other' }), appeared('gone'), appeared('taken'))
      await recordAll(store(), { kind: 'slot-lost', at: 5, uid: 'gone' })
      await claim(store(), 1, 'taken')
      const waiting = ['a', 'b', 'b', 'c', 'elsewhere', 'gone', 'taken', 'unknown']
      const candidates = await candidatesFor(request(waiting))
      expect(candidates?.slots.map(({ uid }) => uid)).toEqual(['b', 'c', 'a'])
    })

    it('offers a job that was moved in its new scope, and no longer in the former one', async () => {
      await recordAll(store(), queued(1), appeared('a'), appeared('b', { scope: 'other' }))
      const before = await getJob(store().assignments, 1)
      const job = { id: 1, generation: before.generation }
      await recordAll(store(), { kind: 'job-moved', at: 5, job, scope: 'other' })
      expect(await getJob(store().assignments, 1)).toEqual({ ...before, scope: 'other', generation: 2 })
      expect((await candidatesFor(request(['a'])))?.jobs ?? []).toEqual([])
      const claims = await store().assignments.match(request(['b'], { scope: 'other' }), chooseFairly())
      expect(claims.map(({ job: claimed, slot }) => [claimed.id, slot.uid])).toEqual([[1, 'b']])
      expect(await store().assignments.jobs({ scope: 'pool', limit: 10 })).toEqual([])
    })

    it('offers only due jobs of the scope', async () => {
      await recordAll(store(), queued(1), queued(2, { scope: 'other' }), queued(3), appeared('a'))
      await claim(store(), 1, 'a')
      const { generation } = await getJob(store().assignments, 1)
      await recordAll(store(), {
        kind: 'job-returned',
        at: 1000,
        job: { id: 1, generation },
        slot: 'a',
        reason: 'by-hand',
      })
      const dueAt = async (at: number, waiting: readonly string[]) =>
        (await candidatesFor(request(waiting, { at })))?.jobs.map(({ id }) => id)
      expect(await dueAt(5999, ['a', 'b'])).toEqual([3])
      expect(await dueAt(6000, ['a', 'b'])).toEqual([1, 3])
      // One that is not due uses up no turn.
      expect(await dueAt(5999, ['a'])).toEqual([3])
      expect(await dueAt(6000, ['a'])).toEqual([1])
    })

    it('takes the jobs in turns, so that a long queue hides no other repository', async () => {
      for (const id of [1, 2, 3, 4, 5]) await recordAll(store(), queued(id, { repository: 'acme/long' }))
      await recordAll(store(), queued(6, { repository: 'acme/short' }), queued(7, { repository: 'acme/other' }))
      await recordAll(store(), appeared('a'), appeared('b'), appeared('c'))
      const waiting = ['a', 'b', 'c']
      expect((await candidatesFor(request(waiting)))?.jobs.map(({ id }) => id)).toEqual([1, 2, 3, 6, 7])
      const limited = async (jobLimit: number) =>
        (await candidatesFor(request(waiting, { jobLimit })))?.jobs.map(({ id }) => id)
      expect(await limited(2)).toEqual([1, 6])
      expect(await limited(4)).toEqual([1, 2, 6, 7])
      expect(await limited(5)).toEqual([1, 2, 3, 6, 7])
    })

    it('counts the jobs of each repository that hold a slot of the scope, in any state', async () => {
      const facts = { repository: 'acme/busy' }
      for (const id of [1, 2, 3]) await recordAll(store(), queued(id, facts), appeared(`busy-${id}`))
      await recordAll(store(), queued(4), appeared('other'), queued(5), appeared('a'))
      for (const id of [1, 2, 3]) await claim(store(), id, `busy-${id}`)
      await claim(store(), 4, 'other')
      await mint(store(), 'busy-2', { id: 2, name: 'two' })
      await mint(store(), 'busy-3', { id: 3, name: 'three' })
      const runner = { id: 3, name: 'three' }
      await recordAll(store(), { kind: 'job-started', at: 1200, facts: jobFacts(3, facts), runner })
      expect((await candidatesFor(request(['a'])))?.held).toEqual([
        { repository: 'acme/app', slots: 1 },
        { repository: 'acme/busy', slots: 3 },
      ])
      const conclusion = 'success'
      await recordAll(store(), { kind: 'job-completed', at: 1300, facts: jobFacts(3, facts), runner, conclusion })
      expect((await candidatesFor(request(['a'])))?.held[1]).toEqual({ repository: 'acme/busy', slots: 2 })
    })

    it('leaves out pairs that repeat a job or a slot or name what was not offered', async () => {
      await recordAll(store(), queued(1), queued(2), appeared('a'), appeared('b'))
      const claims = await store().assignments.match(request(['a', 'b']), () => [
        { job: 1, slot: 'a' },
        { job: 1, slot: 'b' },
        { job: 2, slot: 'a' },
        { job: 99, slot: 'b' },
        { job: 2, slot: 'unknown' },
      ])
      expect(claims.map(({ job, slot }) => [job.id, slot.uid])).toEqual([[1, 'a']])
      expect(await getSlot(store().assignments, 'b')).toMatchObject({ state: 'warm', generation: 1 })
    })

    it('does not call choose when no job or no slot waits', async () => {
      await recordAll(store(), queued(1), appeared('a', { scope: 'other' }))
      expect(await candidatesFor(request([]))).toBeNull()
      expect(await candidatesFor(request(['a']))).toBeNull()
      expect(await candidatesFor(request(['a'], { scope: 'other' }))).toBeNull()
    })

    it('writes nothing when choosing fails', async () => {
      await recordAll(store(), queued(1), appeared('a'))
      const failing = store().assignments.match(request(['a']), () => {
        throw new Error('no idea')
      })
      await expect(failing).rejects.toThrow('no idea')
      expect(await store().assignments.match(request(['a']), chooseFairly())).toHaveLength(1)
    })

    it('uses each job and each slot once when many match at the same time', async () => {
      const uids = Array.from({ length: 40 }, (_, index) => `slot-${index}`)
      for (const [index, uid] of uids.entries()) await recordAll(store(), queued(index + 1), appeared(uid))
      const rounds = await Promise.all(
        [0, 1, 2, 3, 4].map(() => store().assignments.match(request(uids, { jobLimit: 15 }), chooseFairly())),
      )
      const claims = rounds.flat()
      expect(new Set(claims.map(({ job }) => job.id)).size).toBe(40)
      expect(new Set(claims.map(({ slot }) => slot.uid)).size).toBe(40)
      expect(claims).toHaveLength(40)
    })

    it('never exceeds a cap when many match at the same time', async () => {
      for (const id of [1, 2, 3, 4, 5, 6, 7, 8]) await recordAll(store(), queued(id), appeared(`slot-${id}`))
      const rounds = await Promise.all(
        [1, 2, 3, 4, 5, 6, 7, 8].map((id) =>
          store().assignments.match(
            request([`slot-${id}`]),
            chooseFairly({ ...NO_RULES, caps: new Map([['acme/app', 3]]) }),
          ),
        ),
      )
      expect(rounds.flat()).toHaveLength(3)
    })
  })
}
