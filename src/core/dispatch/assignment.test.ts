import { describe, expect, it } from 'vitest'

import { scopesToWake } from './assignment.ts'
import type { Changes, Happening } from './assignment.ts'
import { AssignmentWorld, jobFacts, slotFacts } from '#test/core/assignment-world.ts'

const A = 1
const B = 2
const makeRunner = (uid: string) => ({ id: uid.charCodeAt(0), name: `pod-${uid}-x1` })

const queued = (id: number): Happening => ({ kind: 'job-queued', at: 1, facts: jobFacts(id) })
const appeared = (uid: string): Happening => ({ kind: 'slot-appeared', at: 1, facts: slotFacts(uid) })
const started = (id: number, uid: string, at = 20): Happening => ({
  kind: 'job-started',
  at,
  facts: jobFacts(id),
  runner: makeRunner(uid),
})
const completed = (id: number, uid: string | null, at = 30): Happening => ({
  kind: 'job-completed',
  at,
  facts: jobFacts(id),
  runner: uid === null ? null : makeRunner(uid),
  conclusion: uid === null ? 'cancelled' : 'success',
})

function world(
  ...claims: readonly (readonly [job: number, slot: string, upTo: 'claimed' | 'minted'])[]
): AssignmentWorld {
  const made = new AssignmentWorld()
  for (const [job, slot, upTo] of claims) {
    made.apply(queued(job))
    made.apply(appeared(slot))
    made.claim(job, slot, 10)
    if (upTo === 'minted') mint(made, slot)
  }
  return made
}

function mint(made: AssignmentWorld, uid: string, generation = made.slots.get(uid)?.generation ?? 0): void {
  made.apply({ kind: 'slot-minted', at: 11, slot: { uid, generation }, runner: makeRunner(uid) })
}

describe('the runner that was minted for A', () => {
  it('executes A when GitHub gives it A', () => {
    const made = world([A, 'a', 'minted'])
    made.apply(started(A, 'a'))
    expect(made.jobs.get(A)).toMatchObject({ state: 'executing', runner: makeRunner('a') })
    expect(made.slots.get('a')).toMatchObject({ state: 'executing', executing: A })
  })

  it('swaps intended jobs with the slot of B when GitHub gives it B, without a recovery', () => {
    const made = world([A, 'a', 'minted'], [B, 'b', 'minted'])
    made.apply(started(B, 'a'))
    expect(made.slots.get('a')).toMatchObject({ state: 'executing', executing: B })
    expect(made.slots.get('b')).toMatchObject({ state: 'minted', intended: A })
    expect(made.jobs.get(A)).toMatchObject({ state: 'minted', slot: 'b', recoveries: 0 })
  })

  it('leaves A claimed, not minted, when the slot of B has no runner yet', () => {
    const made = world([A, 'a', 'minted'], [B, 'b', 'claimed'])
    made.apply(started(B, 'a'))
    expect(made.jobs.get(A)).toMatchObject({ state: 'claimed', slot: 'b', recoveries: 0 })
    expect(made.slots.get('b')).toMatchObject({ state: 'claimed', intended: A })
  })

  it('sends A back to the queue at once, recorded, when no live slot was intended for B', () => {
    const made = world([A, 'a', 'minted'])
    made.apply(queued(B))
    const changes = made.apply(started(B, 'a'))
    expect(made.jobs.get(A)).toMatchObject({ state: 'queued', recoveries: 1, notBefore: 20 })
    expect(changes.jobs.map(({ event }) => event.kind)).toEqual(['started', 'returned'])
  })

  it('does not swap with a slot whose pod is gone', () => {
    const made = world([A, 'a', 'minted'], [B, 'b', 'minted'])
    made.apply({ kind: 'slot-lost', at: 12, uid: 'b' })
    made.apply(started(B, 'a'))
    expect(made.jobs.get(A)).toMatchObject({ state: 'queued', recoveries: 1 })
    expect(made.slots.get('b')).toMatchObject({ state: 'lost' })
  })

  it('does not swap with a slot of another scope, which may lack what A needs: A goes back, that slot is free', () => {
    const made = world([A, 'a', 'minted'])
    made.apply({ kind: 'job-queued', at: 1, facts: jobFacts(B, { scope: 'large' }) })
    made.apply({ kind: 'slot-appeared', at: 1, facts: slotFacts('b', { scope: 'large' }) })
    made.claim(B, 'b', 10)
    made.apply(started(B, 'a'))
    expect(made.slots.get('a')).toMatchObject({ state: 'executing', executing: B })
    expect(made.slots.get('b')).toMatchObject({ state: 'warm' })
    expect(made.jobs.get(A)).toMatchObject({ state: 'queued', recoveries: 1 })
  })

  it('passes intended jobs around a ring of three, without a recovery', () => {
    const C = 3
    const made = world([A, 'a', 'minted'], [B, 'b', 'minted'], [C, 'c', 'claimed'])
    made.apply(started(B, 'a'))
    made.apply(started(C, 'b'))
    expect(made.slots.get('c')).toMatchObject({ state: 'claimed', intended: A })
    expect(made.jobs.get(A)).toMatchObject({ state: 'claimed', slot: 'c', recoveries: 0 })
    mint(made, 'c')
    made.apply(started(A, 'c'))
    expect([...made.jobs.values()].map(({ state, recoveries }) => [state, recoveries])).toEqual([
      ['executing', 0],
      ['executing', 0],
      ['executing', 0],
    ])
  })

  it('swaps even if its pod was gone before GitHub reported B, as after a short job', () => {
    const made = world([A, 'a', 'minted'], [B, 'b', 'minted'])
    made.apply({ kind: 'slot-ended', at: 15, uid: 'a' })
    made.apply(started(B, 'a'))
    expect(made.slots.get('a')).toMatchObject({ state: 'ended', executed: B, intended: null })
    expect(made.slots.get('b')).toMatchObject({ state: 'minted', intended: A })
    expect(made.jobs.get(A)).toMatchObject({ state: 'minted', slot: 'b', recoveries: 0 })
    made.apply(completed(B, 'a'))
    expect(made.jobs.get(B)).toMatchObject({ state: 'finished', runner: makeRunner('a') })
  })

  it('takes A from no slot if its pod is gone and A has another slot since', () => {
    const made = world([A, 'a', 'minted'], [B, 'b', 'minted'])
    made.apply({ kind: 'slot-lost', at: 15, uid: 'a' })
    const generation = made.jobs.get(A)?.generation ?? 0
    made.apply({ kind: 'job-returned', at: 16, job: { id: A, generation }, slot: 'a', reason: 'slot-lost' })
    made.apply(appeared('c'))
    made.claim(A, 'c', 10_000)
    made.apply(started(B, 'a'))
    expect(made.slots.get('a')).toMatchObject({ state: 'lost', executed: B })
    expect(made.slots.get('b')).toMatchObject({ state: 'minted', intended: null })
    expect(made.jobs.get(A)).toMatchObject({ state: 'claimed', slot: 'c', recoveries: 1 })
  })

  it('swaps on the completion too, if the start was never reported', () => {
    const made = world([A, 'a', 'minted'], [B, 'b', 'minted'])
    made.apply(completed(B, 'a'))
    expect(made.slots.get('a')).toMatchObject({ state: 'ended', executed: B })
    expect(made.slots.get('b')).toMatchObject({ state: 'minted', intended: A })
    expect(made.jobs.get(A)).toMatchObject({ state: 'minted', slot: 'b', recoveries: 0 })
  })
})

describe('a job that ends', () => {
  it('releases the slot of the runner that executed it, not its intended slot', () => {
    const made = world([A, 'a', 'minted'], [B, 'b', 'minted'])
    made.apply(started(B, 'a'))
    made.apply(completed(B, 'a'))
    expect(made.slots.get('a')?.state).toBe('ended')
    expect(made.slots.get('b')).toMatchObject({ state: 'minted', intended: A })
  })

  it('clears the intended job, never the runner, when it was cancelled in the queue', () => {
    const made = world([A, 'a', 'minted'])
    made.apply(completed(A, null))
    expect(made.slots.get('a')).toMatchObject({ state: 'minted', intended: null })
  })

  it('makes a claimed slot warm again when it was cancelled before a runner was minted', () => {
    const made = world([A, 'a', 'claimed'])
    made.apply(completed(A, null))
    expect(made.slots.get('a')?.state).toBe('warm')
  })

  it('frees its intended slot if an unknown runner executed it', () => {
    const made = world([A, 'a', 'minted'])
    made.apply(started(A, 'z'))
    expect(made.jobs.get(A)).toMatchObject({ state: 'executing', runner: makeRunner('z') })
    expect(made.slots.get('a')).toMatchObject({ state: 'minted', intended: null })
  })

  it('is stored even if it was never announced, so that a late "queued" finds it finished', () => {
    const made = new AssignmentWorld()
    made.apply(completed(A, 'z'))
    made.apply(queued(A))
    expect(made.jobs.get(A)?.state).toBe('finished')
  })
})

describe('a handle of another generation', () => {
  it('mints nothing', () => {
    const made = world([A, 'a', 'claimed'])
    const before = made.snapshot()
    mint(made, 'a', 1)
    expect(made.snapshot()).toBe(before)
  })

  it('returns nothing to the queue', () => {
    const made = world([A, 'a', 'minted'])
    const before = made.snapshot()
    made.apply({ kind: 'job-returned', at: 40, job: { id: A, generation: 1 }, slot: 'a', reason: 'claim-stale' })
    expect(made.snapshot()).toBe(before)
  })

  it('changes nothing, while the current one returns the job and frees the slot', () => {
    const made = world([A, 'a', 'claimed'])
    const generation = made.jobs.get(A)?.generation ?? 0
    made.apply({ kind: 'job-returned', at: 40, job: { id: A, generation }, slot: 'a', reason: 'mint-failed' })
    expect(made.jobs.get(A)).toMatchObject({ state: 'queued', recoveries: 1, notBefore: 40 + 5_000 })
    expect(made.slots.get('a')?.state).toBe('warm')
  })
})

describe('a job that is to go back because its runner never registered', () => {
  it('stays if the runner has registered since', () => {
    const made = world([A, 'a', 'minted'])
    const generation = made.jobs.get(A)?.generation ?? 0
    made.apply({ kind: 'slot-registered', at: 39, runner: makeRunner('a') })
    const giveUp = { kind: 'job-returned', at: 40, job: { id: A, generation }, slot: 'a' } as const
    made.apply({ ...giveUp, reason: 'never-registered' })
    expect(made.jobs.get(A)).toMatchObject({ state: 'minted', slot: 'a' })
    made.apply({ ...giveUp, reason: 'by-hand' })
    expect(made.jobs.get(A)).toMatchObject({ state: 'queued' })
  })
})

describe('slots that wait for a job', () => {
  const woken = (...changes: readonly Changes[]) => changes.map((change) => scopesToWake(change))

  it('are woken when a job is queued, and when one stops counting against a cap', () => {
    const made = world([A, 'a', 'minted'])
    expect(woken(made.apply(queued(B)), made.apply(started(A, 'a')), made.apply(completed(A, 'a')))).toEqual([
      ['linux'],
      [],
      ['linux'],
    ])
  })

  it('are woken once for all jobs of a scope, and not for one that never held a slot', () => {
    const made = world([A, 'a', 'minted'])
    expect(woken(made.apply(completed(B, 'a')), made.apply(completed(3, null)))).toEqual([['linux'], []])
  })
})
