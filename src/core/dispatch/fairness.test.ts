import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseFairly, HEAD_START_MS, nameOwner, NO_RULES, orderFairly } from './fairness.ts'
import type { Candidates, FairnessRules, HeldShare, Pair } from './fairness.ts'
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
    expect(chooseFairly(capped({ a: 2 }))(candidates)).toEqual([{ job: 1, slot: 'slot-0' }])
  })

  it('counts the slots of an owner, not of its many repositories', () => {
    const many = ['big/a', 'big/b', 'big/c'].map((repository, index) => makeJob(index + 1, repository, 100))
    const candidates = {
      jobs: [...many, makeJob(4, 'small/x', 200), makeJob(5, 'small/x', 300)],
      slots: makeSlots(4),
      held: [],
    }
    expect(given(candidates, NO_RULES)).toEqual({ 'big/a': 1, 'big/b': 1, 'small/x': 2 })
  })

  it('gives slots by weight', () => {
    const jobs = Array.from({ length: 40 }, (_, index) =>
      makeJob(index, index % 2 === 0 ? 'acme/app' : 'acme/api', index),
    )
    const rules = { ...NO_RULES, weights: new Map([['acme/app', 3]]) }
    expect(given({ jobs, slots: makeSlots(12), held: [] }, rules)).toEqual({ 'acme/app': 9, 'acme/api': 3 })
  })

  it('lets a capped repository block nobody behind it, and says what withholds each of its jobs', () => {
    const jobs = [makeJob(1, 'acme/api', 100), makeJob(2, 'acme/api', 200), makeJob(3, 'acme/app', 300)]
    const { next, withheld } = orderFairly(jobs, [], capped({ 'acme/api': 1 }))
    expect(next.map(({ id }) => id)).toEqual([1, 3])
    expect(withheld.map(({ job, cap }) => [job.id, cap])).toEqual([[2, { of: 'acme/api', most: 1 }]])
  })

  it('caps an owner over all of its repositories', () => {
    const jobs = [makeJob(1, 'acme/api', 100), makeJob(2, 'acme/app', 200)]
    const { next, withheld } = orderFairly(jobs, [{ repository: 'acme/web', slots: 1 }], capped({ acme: 2 }))
    expect(next.map(({ id }) => id)).toEqual([1])
    expect(withheld.map(({ cap }) => cap)).toEqual([{ of: 'acme', most: 2 }])
  })

  it('gives a priority a head start within its repository, which waiting makes up for', () => {
    const deploy = { ...makeJob(2, 'acme/app', HEAD_START_MS - 1), workflow: 'deploy' }
    const late = { ...makeJob(3, 'acme/app', HEAD_START_MS + 1), workflow: 'deploy' }
    const rules = { ...NO_RULES, priorities: new Map([['acme/app:deploy', 1]]) }
    const { next } = orderFairly([makeJob(1, 'acme/app', 0), deploy, late], [], rules)
    expect(next.map(({ id }) => id)).toEqual([2, 1, 3])
  })

  it('leaves shares as they are, whatever the priorities', () => {
    const urgent = Array.from({ length: 10 }, (_, index) => makeJob(index, 'acme/app', 0))
    const jobs = [...urgent, makeJob(10, 'acme/api', 5), makeJob(11, 'acme/api', 6)]
    const rules = { ...NO_RULES, priorities: new Map([['acme/app', 100]]) }
    expect(given({ jobs, slots: makeSlots(4), held: [] }, rules)).toEqual({ 'acme/app': 2, 'acme/api': 2 })
  })
})

describe('chooseFairly, for any candidates', () => {
  const caps = new Map([
    ['a', 0],
    ['b', 2],
    ['c', 5],
  ])
  const rules = { ...NO_RULES, caps }
  const repositoryCap = (repository: string) => caps.get(repository) ?? Infinity

  it('never pairs a job or a slot twice, and only candidates', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const pairs = chooseFairly(rules)(candidates)
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
        const given = countGiven(candidates, chooseFairly(rules)(candidates))
        for (const [repository, count] of given) {
          expect(heldBy(candidates.held, repository) + count).toBeLessThanOrEqual(repositoryCap(repository))
        }
      }),
    )
  })

  it('leaves no slot empty while a job waits whose repository is below its cap', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const pairs = chooseFairly(rules)(candidates)
        if (pairs.length === candidates.slots.length) return
        const given = countGiven(candidates, pairs)
        for (const { repository } of waitingAfter(candidates, pairs)) {
          const share = heldBy(candidates.held, repository) + (given.get(repository) ?? 0)
          expect(share).toBeGreaterThanOrEqual(repositoryCap(repository))
        }
      }),
    )
  })

  it('gives no slot to a repository while another one of its owner that waits holds two fewer', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const pairs = chooseFairly()(candidates)
        const given = countGiven(candidates, pairs)
        const countHeld = (repository: string) => heldBy(candidates.held, repository) + (given.get(repository) ?? 0)
        for (const waiting of waitingAfter(candidates, pairs)) {
          for (const repository of given.keys()) {
            if (nameOwner({ repository }) !== nameOwner(waiting)) continue
            expect(countHeld(repository) - countHeld(waiting.repository)).toBeLessThanOrEqual(1)
          }
        }
      }),
    )
  })

  const weights = new Map([
    ['a', 2],
    ['b', 0.5],
    ['o', 3],
    ['o/b', 4],
  ])

  it('leaves nobody more than one job away from the share of its weight, among owners and among repositories of one', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const pairs = chooseFairly({ ...NO_RULES, weights })(candidates)
        const weigh = (name: string) => weights.get(name) ?? 1
        const isGiven = new Set(pairs.map(({ job }) => job))
        const now = [
          ...candidates.held,
          ...candidates.jobs.filter(({ id }) => isGiven.has(id)).map(({ repository }) => ({ repository, slots: 1 })),
        ]
        const count = (isOwn: (share: HeldShare) => boolean) =>
          now.filter(isOwn).reduce((sum, { slots }) => sum + slots, 0)
        for (const waiting of waitingAfter(candidates, pairs)) {
          for (const { repository } of candidates.jobs.filter(({ id }) => isGiven.has(id))) {
            const [waits, took] = [nameOwner(waiting), nameOwner({ repository })]
            const [waitsFor, gotIt] = waits === took ? [waiting.repository, repository] : [waits, took]
            const holds = (name: string) => count((share) => share.repository === name || nameOwner(share) === name)
            // To move one job from the one to the other would not bring both closer to their weights.
            expect((holds(gotIt) - 0.5) / weigh(gotIt)).toBeLessThanOrEqual(
              (holds(waitsFor) + 0.5) / weigh(waitsFor) + 1e-9,
            )
          }
        }
      }),
    )
  })

  it('gives the same result for the same candidates in another order', () => {
    fc.assert(
      fc.property(anyCandidates(), (candidates) => {
        const reversed = { ...candidates, jobs: candidates.jobs.toReversed(), held: candidates.held.toReversed() }
        expect(chooseFairly(rules)(reversed)).toEqual(chooseFairly(rules)(candidates))
      }),
    )
  })
})

function anyCandidates(): fc.Arbitrary<Candidates> {
  const repository = fc.constantFrom('a', 'b', 'c', 'o/a', 'o/b')
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

function capped(caps: Readonly<Record<string, number>>): FairnessRules {
  return { ...NO_RULES, caps: new Map(Object.entries(caps)) }
}

function given(candidates: Candidates, rules: FairnessRules): Readonly<Record<string, number>> {
  return Object.fromEntries(countGiven(candidates, chooseFairly(rules)(candidates)))
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
