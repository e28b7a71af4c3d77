import { describe, expect, it } from 'vitest'
import { NO_CHANGES, decideAssignment } from '#/core/dispatch/assignment.ts'
import type { JobChange, SlotChange } from '#/core/dispatch/assignment.ts'
import type { JobPhase } from '#/core/dispatch/job.ts'
import type { SlotPhase } from '#/core/dispatch/slot.ts'
import type { Store } from '#/ports/store/store.ts'
import { appeared, claim, getJob, getSlot, jobFacts, mint, queued, slotFacts, recordAll } from './store-builders.ts'

const RUNNER = { id: 7, name: 'runner-a' }

const JOB_PHASES: readonly JobPhase[] = [
  { state: 'queued', notBefore: 5 },
  { state: 'claimed', slot: 'a', claimedAt: 6 },
  { state: 'minted', slot: 'b', mintedAt: 7 },
  { state: 'executing', runner: RUNNER, startedAt: 8 },
  { state: 'executing', runner: { id: null, name: 'nameless' }, startedAt: 8 },
  { state: 'finished', runner: RUNNER, conclusion: 'success', finishedAt: 9 },
  { state: 'finished', runner: null, conclusion: 'cancelled', finishedAt: 9 },
]

const SLOT_PHASES: readonly SlotPhase[] = [
  { state: 'warm' },
  { state: 'claimed', intended: 1, claimedAt: 6 },
  { state: 'minted', intended: 2, runner: RUNNER, mintedAt: 7 },
  { state: 'minted', intended: null, runner: { id: null, name: 'nameless' }, mintedAt: 7 },
  { state: 'registered', intended: 3, runner: RUNNER, mintedAt: 7 },
  { state: 'executing', executing: 4, runner: RUNNER, startedAt: 8 },
  { state: 'ended', executed: 4, runner: RUNNER, intended: null, endedAt: 9 },
  { state: 'lost', executed: null, runner: null, intended: 1, endedAt: 9 },
]

export function assignmentsContract(store: () => Store): void {
  describe('commit', () => {
    it('stores a job in every phase as it was', async () => {
      for (const [index, phase] of JOB_PHASES.entries()) {
        const after = {
          ...jobFacts(index + 1, { labels: ['"quoted"', 'ü', ''] }),
          generation: 1,
          recoveries: 2,
          ...phase,
        }
        const change = newJob(after)
        expect(await store().assignments.commit({ jobs: [change], slots: [] })).toBe('committed')
        expect(await store().assignments.job(after.id)).toEqual(after)
        expect(await store().assignments.history(after.id)).toEqual([
          { job: after.id, generation: 1, event: change.event, from: null, to: phase.state, at: change.event.at },
        ])
      }
    })

    it('stores a slot in every phase as it was', async () => {
      for (const [index, phase] of SLOT_PHASES.entries()) {
        const after = { ...slotFacts(`slot-${index}`, { node: 'node-1' }), generation: 1, ...phase }
        expect(await store().assignments.commit({ jobs: [], slots: [newSlot(after)] })).toBe('committed')
        expect(await store().assignments.slot(after.uid)).toEqual(after)
      }
    })

    it('changes nothing and answers stale when one of the changes expects another generation', async () => {
      await recordAll(store(), queued(1), queued(2))
      const [one, two] = [await getJob(store().assignments, 1), await getJob(store().assignments, 2)]
      const changes = [finish(one), finish({ ...two, generation: two.generation + 1 })]
      expect(await store().assignments.commit({ jobs: changes, slots: [] })).toBe('stale')
      expect(await store().assignments.jobs({ limit: 10 })).toEqual([one, two])
      expect(await store().assignments.history(1)).toHaveLength(1)
    })

    it('answers stale for a job and for a slot that exist already', async () => {
      await recordAll(store(), queued(1), appeared('a'))
      const involved = { job: null, slot: null, meantForJob: null, meantForSlot: null }
      for (const happening of [queued(1, { name: 'another' }), appeared('a', { node: 'another' })]) {
        expect(await store().assignments.commit(decideAssignment(happening, involved))).toBe('stale')
      }
      expect(await getJob(store().assignments, 1)).toMatchObject({ name: 'build 1' })
      expect(await getSlot(store().assignments, 'a')).toMatchObject({ node: null })
    })

    it('answers stale for a change of a job that does not exist', async () => {
      const absent = { ...jobFacts(1), generation: 1, recoveries: 0, state: 'queued', notBefore: 0 } as const
      expect(await store().assignments.commit({ jobs: [finish(absent)], slots: [] })).toBe('stale')
      expect(await store().assignments.job(1)).toBeNull()
    })

    it('answers stale for two changes of one job', async () => {
      await recordAll(store(), queued(1))
      const change = finish(await getJob(store().assignments, 1))
      expect(await store().assignments.commit({ jobs: [change, change], slots: [] })).toBe('stale')
    })

    it('never gives two live slots the same intended job', async () => {
      const claimed = { state: 'claimed', intended: 1, claimedAt: 1 } as const
      const first = newSlot({ ...slotFacts('a'), generation: 1, ...claimed })
      const second = newSlot({ ...slotFacts('b'), generation: 1, ...claimed })
      expect(await store().assignments.commit({ jobs: [], slots: [first, second] })).toBe('stale')
      expect(await store().assignments.commit({ jobs: [], slots: [first] })).toBe('committed')
      expect(await store().assignments.commit({ jobs: [], slots: [second] })).toBe('stale')
      expect(await store().assignments.slots({ limit: 10 })).toEqual([first.after])
    })

    it('never lets two jobs wait for one slot', async () => {
      const claimed = { generation: 1, recoveries: 0, state: 'claimed', slot: 'a', claimedAt: 1 } as const
      const [first, second] = [newJob({ ...jobFacts(1), ...claimed }), newJob({ ...jobFacts(2), ...claimed })]
      expect(await store().assignments.commit({ jobs: [first, second], slots: [] })).toBe('stale')
      expect(await store().assignments.commit({ jobs: [first], slots: [] })).toBe('committed')
      expect(await store().assignments.commit({ jobs: [second], slots: [] })).toBe('stale')
      expect(await store().assignments.jobs({ limit: 10 })).toEqual([first.after])
    })

    it('swaps the intended jobs of two slots when GitHub gives a runner the job of the other', async () => {
      await recordAll(store(), queued(1), queued(2), appeared('a'), appeared('b'))
      await claim(store(), 1, 'a')
      await claim(store(), 2, 'b')
      await mint(store(), 'a', { id: 1, name: 'runner-a' })
      await mint(store(), 'b', { id: 2, name: 'runner-b' })
      await recordAll(store(), {
        kind: 'job-started',
        at: 2000,
        facts: jobFacts(2),
        runner: { id: 1, name: 'runner-a' },
      })
      expect(await getSlot(store().assignments, 'a')).toMatchObject({ state: 'executing', executing: 2 })
      expect(await getSlot(store().assignments, 'b')).toMatchObject({ state: 'minted', intended: 1 })
      expect(await getJob(store().assignments, 1)).toMatchObject({ state: 'minted', slot: 'b', recoveries: 0 })
      expect(await getJob(store().assignments, 2)).toMatchObject({ state: 'executing' })
    })

    it('lets one of many writers with the same generation win', async () => {
      await recordAll(store(), queued(1), queued(2))
      const [one, two] = [await getJob(store().assignments, 1), await getJob(store().assignments, 2)]
      const orders = [
        [finish(one), finish(two)],
        [finish(two), finish(one)],
      ]
      const outcomes = await Promise.all(
        [...orders, ...orders, ...orders].map((jobs) => store().assignments.commit({ jobs, slots: [] })),
      )
      expect(outcomes.toSorted()).toEqual(['committed', 'stale', 'stale', 'stale', 'stale', 'stale'])
      expect(await store().assignments.history(1)).toHaveLength(2)
    })

    it('has nothing to write for no changes', async () => {
      expect(await store().assignments.commit(NO_CHANGES)).toBe('committed')
    })

    it('wakes listeners when a job is queued and when one releases its slot, and only then', async () => {
      const woken: string[] = []
      const listening = await store().wakeups.listen((scope) => woken.push(scope))
      try {
        const runner = { id: 1, name: 'foreign' }
        const large = jobFacts(1, { scope: 'large' })
        await recordAll(store(), appeared('a'), queued(1, { scope: 'large' }))
        await recordAll(store(), { kind: 'job-started', at: 5, facts: large, runner })
        await recordAll(store(), { kind: 'job-completed', at: 6, facts: large, runner, conclusion: 'success' })
        await recordAll(store(), queued(2, { scope: 'small' }))
        await expect.poll(() => woken, { timeout: 60_000 }).toEqual(['large', 'large', 'small'])
      } finally {
        await listening.stop()
      }
    })
  })

  describe('jobs and slots', () => {
    it('are listed oldest first, by state and by scope, up to the limit', async () => {
      await recordAll(
        store(),
        queued(3, { queuedAt: 5 }),
        queued(1, { queuedAt: 9 }),
        queued(2, { queuedAt: 5, scope: 'big' }),
      )
      await recordAll(store(), appeared('b'), appeared('a'), appeared('c', { appearedAt: 0, scope: 'big' }))
      await claim(store(), 3, 'a')
      const { jobs, slots } = store().assignments
      expect((await jobs({ limit: 10 })).map(({ id }) => id)).toEqual([2, 3, 1])
      expect((await jobs({ limit: 2 })).map(({ id }) => id)).toEqual([2, 3])
      expect((await jobs({ limit: 10, scope: 'big' })).map(({ id }) => id)).toEqual([2])
      expect((await jobs({ limit: 10, states: ['queued', 'finished'] })).map(({ id }) => id)).toEqual([2, 1])
      expect((await jobs({ limit: 2, latest: true })).map(({ id }) => id)).toEqual([1, 3])
      expect((await slots({ limit: 10 })).map(({ uid }) => uid)).toEqual(['c', 'a', 'b'])
      expect((await slots({ limit: 1 })).map(({ uid }) => uid)).toEqual(['c'])
      expect((await slots({ limit: 10, scope: 'pool' })).map(({ uid }) => uid)).toEqual(['a', 'b'])
      expect((await slots({ limit: 10, states: ['claimed'] })).map(({ uid }) => uid)).toEqual(['a'])
    })

    it('are null or empty when there are none', async () => {
      expect(await store().assignments.job(1)).toBeNull()
      expect(await store().assignments.slot('a')).toBeNull()
      expect(await store().assignments.history(1)).toEqual([])
    })
  })
}

function newJob(after: JobChange['after']): JobChange {
  return { before: null, after, event: { kind: 'announced', at: 3, facts: jobFacts(after.id) } }
}

function newSlot(after: SlotChange['after']): SlotChange {
  return { before: null, after, event: { kind: 'appeared', at: 3, facts: slotFacts(after.uid) } }
}

function finish(before: JobChange['after']): JobChange {
  const facts = jobFacts(before.id)
  const after = { ...facts, generation: before.generation + 1, recoveries: 0 }
  return {
    before,
    after: { ...after, state: 'finished', runner: null, conclusion: 'success', finishedAt: 4 },
    event: { kind: 'completed', at: 4, runner: null, conclusion: 'success', facts },
  }
}
