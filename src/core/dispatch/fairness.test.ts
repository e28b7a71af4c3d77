import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseFairly } from './fairness.ts'
import type { Candidates, HeldShare, Pair } from './fairness.ts'
import type { Job } from './job.ts'
import type { Slot } from './slot.ts'

describe('chooseFairly', () => {
  it('gives the slot to the repository that holds fewer, although its job is younger', () => {
    const candidates = {
      jobs: [makeJob(1, 'busy', 100), makeJob(2, 'idle', 200)],
      slots: makeSlots(1),
      held: [{ repository: 'busy', slots: 3 }],
    }
    expect(chooseFairly()(candidates)).toEqual([{ job: 2, slot: 'slot-0' }])
  })

  it('takes the oldest job of a repository first, whatever the order of the candidates', () => {
    const candidates = {
      jobs: [makeJob(3, 'a', 300), makeJob(1, 'a', 100), makeJob(2, 'a', 100)],
      slots: makeSlots(2),
      held: [],
    }
    expect(chooseFairly()(candidates).map(({ job }) => job)).toEqual([1, 2])
  })

  it('lets the repository whose job has waited longest go first among equals', () => {
    const candidates = { jobs: [makeJob(1, 'a', 200), makeJob(2, 'b', 100)], slots: makeSlots(1), held: [] }
    expect(chooseFairly()(candidates).map(({ job }) => job)).toEqual([2])
  })

  it('leaves a slot empty rather than exceed a cap', () => {
    const candidates = {
      jobs: [makeJob(1, 'a', 100), makeJob(2, 'a', 200)],
      slots: makeSlots(2),
      held: [{ repository: 'a', slots: 1 }],
    }
    expect(chooseFairly(() => 2)(candidates)).toEqual([{ job: 1, slot: 'slot-0' }])
  })
})

describe('chooseFairly, for any candidates', () => {
  const caps = new Map([
    ['a', 0],
    ['b', 2],
    ['c', 5],
  ])
  const repositoryCap = (repository: string) => caps.get(repository) ?? Infinity

  it('never pairs a job or a slot twice, and only candidates', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const pairs = chooseFairly(repositoryCap)(candidates)
        expect(new Set(pairs.map(({ job }) => job)).size).toBe(pairs.length)
        expect(new Set(pairs.map(({ slot }) => slot)).size).toBe(pairs.length)
        expect(candidates.jobs.map(({ id }) => id)).toEqual(expect.arrayContaining(pairs.map(({ job }) => job)))
        expect(candidates.slots.map(({ uid }) => uid)).toEqual(expect.arrayContaining(pairs.map(({ slot }) => slot)))
      }),
    )
  })

  it('never gives a repository a slot beyond its cap', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const given = countGiven(candidates, chooseFairly(repositoryCap)(candidates))
        for (const [repository, count] of given) {
          expect(heldBy(candidates.held, repository) + count).toBeLessThanOrEqual(repositoryCap(repository))
        }
      }),
    )
  })

  it('leaves no slot empty while a job waits whose repository is below its cap', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const pairs = chooseFairly(repositoryCap)(candidates)
        if (pairs.length === candidates.slots.length) return
        const given = countGiven(candidates, pairs)
        for (const { repository } of waitingAfter(candidates, pairs)) {
          const share = heldBy(candidates.held, repository) + (given.get(repository) ?? 0)
          expect(share).toBeGreaterThanOrEqual(repositoryCap(repository))
        }
      }),
    )
  })

  it('gives no slot to a repository while another one that waits holds two fewer', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const pairs = chooseFairly()(candidates)
        const given = countGiven(candidates, pairs)
        const countHeld = (repository: string) => heldBy(candidates.held, repository) + (given.get(repository) ?? 0)
        for (const waiting of waitingAfter(candidates, pairs)) {
          for (const repository of given.keys()) {
            expect(countHeld(repository) - countHeld(waiting.repository)).toBeLessThanOrEqual(1)
          }
        }
      }),
    )
  })

  it('gives the same result for the same candidates in another order', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const reversed = { ...candidates, jobs: candidates.jobs.toReversed(), held: candidates.held.toReversed() }
        expect(chooseFairly(repositoryCap)(reversed)).toEqual(chooseFairly(repositoryCap)(candidates))
      }),
    )
  })
})

function anyCandidates(): fc.Arbitrary<Candidates> {
  const repository = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  return fc
    .record({
      jobs: fc.array(fc.record({ repository, queuedAt: fc.nat(5) }), { maxLength: 40 }),
      slots: fc.nat(30),
      held: fc.uniqueArray(fc.record({ repository, slots: fc.nat(6) }), { selector: (share) => share.repository }),
    })
    .map(({ jobs, slots, held }) => ({
      jobs: jobs.map((job, index) => makeJob(index + 1, job.repository, job.queuedAt)),
      slots: makeSlots(slots),
      held,
    }))
}

function countGiven({ jobs }: Candidates, pairs: readonly Pair[]): Map<string, number> {
  const given = new Map<string, number>()
  for (const pair of pairs) {
    const repository = jobs.find(({ id }) => id === pair.job)!.repository
    given.set(repository, (given.get(repository) ?? 0) + 1)
  }
  return given
}

function waitingAfter({ jobs }: Candidates, pairs: readonly Pair[]): readonly Job[] {
  const paired = new Set(pairs.map(({ job }) => job))
  return jobs.filter(({ id }) => !paired.has(id))
}

function heldBy(held: readonly HeldShare[], repository: string): number {
  return held.find((share) => share.repository === repository)?.slots ?? 0
}

function makeJob(id: number, repository: string, queuedAt: number): Job {
  return {
    id,
    runId: id,
    runAttempt: 1,
    repository,
    workflow: 'ci',
    name: 'build',
    labels: ['linux'],
    scope: 'pool',
    queuedAt,
    generation: 1,
    recoveries: 0,
    state: 'queued',
    notBefore: queuedAt,
  }
}

function makeSlots(count: number): readonly Slot[] {
  return Array.from({ length: count }, (_, index) => ({
    uid: `slot-${index}`,
    namespace: 'runners',
    pod: `runner-${index}`,
    scope: 'pool',
    node: null,
    appearedAt: index,
    generation: 1,
    state: 'warm',
  }))
}
