import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { NO_CHANGES } from './assignment.ts'
import type { Happening } from './assignment.ts'
import { RETURN_REASONS } from './job.ts'
import type { ReturnReason } from './job.ts'
import { intendedJob, isLive, slotRunner } from './slot.ts'
import { isSameRunner } from './runner.ts'
import type { Runner } from './runner.ts'
import { AssignmentWorld, jobFacts, slotFacts } from '#test/core/assignment-world.ts'
import { AnswerCount } from '#test/core/table-answers.ts'
import { draws } from '#test/tiers/long-run.ts'

/** Few of each, so that histories collide: late, doubled, contradicting and foreign words of GitHub all occur. */
const JOBS = [1, 2, 3, 4] as const
const SLOTS = ['a', 'b', 'c', 'd'] as const
/** The last of each belong to another scope, and GitHub gives runners the jobs of both. */
const jobScope = (thing: number | string) => (thing === 4 || thing === 'd' ? 'large' : 'linux')
const makeFacts = (id: number) => jobFacts(id, { scope: jobScope(id) })
const runner = (uid: string) => ({ id: uid.charCodeAt(0), name: `pod-${uid}-x1` })
/** Another owner's runner has the id of one of ours, or its name; sometimes only the name is known. */
const LIKE_OURS = [
  { id: 'a'.charCodeAt(0), name: 'theirs' },
  { id: 99_999, name: 'pod-b-x1' },
  { id: null, name: 'pod-c-x1' },
]

const job = fc.constantFrom(...JOBS)
const slot = fc.constantFrom(...SLOTS)
const anyRunner: fc.Arbitrary<Runner> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SLOTS, 'foreign').map(runner) },
  fc.constantFrom(...LIKE_OURS),
)
const at = fc.integer({ min: 1, max: 60 }).map((seconds) => seconds * 1000)
/** Mostly the handle that is right at that moment, so that histories go deep; sometimes any other. */
const generation = fc.oneof({ weight: 4, arbitrary: fc.constant('right' as const) }, fc.integer({ min: 1, max: 8 }))

type Step =
  | { readonly kind: 'happens'; readonly happening: Happening }
  | { readonly kind: 'claim'; readonly job: number; readonly slot: string; readonly at: number }
  | { readonly kind: 'mint'; readonly slot: string; readonly at: number; readonly generation: number | 'right' }
  | { readonly kind: 'retry'; readonly job: number; readonly at: number }
  | { readonly kind: 'move'; readonly job: number; readonly at: number; readonly scope: string }
  | {
      readonly kind: 'return'
      readonly job: number
      readonly at: number
      readonly generation: number | 'right'
      readonly reason: ReturnReason
    }

const slotOfScope = (uid: string) => slotFacts(uid, { scope: jobScope(uid) })

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant('job-queued' as const), at, facts: job.map(makeFacts) }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('job-started' as const),
      at,
      facts: job.map(makeFacts),
      runner: anyRunner,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('job-completed' as const),
      at,
      facts: job.map(makeFacts),
      runner: fc.option(anyRunner),
      conclusion: fc.constantFrom('success', 'failure', 'cancelled'),
    }),
  },
  fc.record({ kind: fc.constant('slot-appeared' as const), at, facts: slot.map(slotOfScope) }),
  fc.record({ kind: fc.constant('slot-registered' as const), at, runner: anyRunner }),
  fc.record({ kind: fc.constantFrom('slot-ended' as const, 'slot-lost' as const), at, uid: slot }),
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: happening.map((one) => ({ kind: 'happens' as const, happening: one })) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim' as const), job, slot, at }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('mint' as const), slot, at, generation }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('return' as const),
      job,
      at,
      generation,
      reason: fc.constantFrom(...RETURN_REASONS),
    }),
  },
  fc.record({ kind: fc.constant('retry' as const), job, at }),
  fc.record({ kind: fc.constant('move' as const), job, at, scope: fc.constantFrom('linux', 'large') }),
)
const history = fc.array(step, { maxLength: 60, size: 'max' })

/** What a step means in the current state; a claim comes from the matcher, everything else is reported. */
function toHappening(world: AssignmentWorld, one: Exclude<Step, { kind: 'claim' }>): Happening {
  switch (one.kind) {
    case 'happens':
      return one.happening
    case 'mint': {
      const current = world.slots.get(one.slot)?.generation ?? 0
      const handle = { uid: one.slot, generation: one.generation === 'right' ? current : one.generation }
      return { kind: 'slot-minted', at: one.at, slot: handle, runner: runner(one.slot) }
    }
    case 'retry':
      return { kind: 'job-retried', at: one.at, job: handleOf(world, one.job, 'right') }
    case 'move':
      return { kind: 'job-moved', at: one.at, job: handleOf(world, one.job, 'right'), scope: one.scope }
    case 'return': {
      const found = world.jobs.get(one.job)
      const holder = found !== undefined && 'slot' in found ? found.slot : 'a'
      const handle = handleOf(world, one.job, one.generation)
      return { kind: 'job-returned', at: one.at, job: handle, slot: holder, reason: one.reason }
    }
  }
}

function handleOf(world: AssignmentWorld, id: number, generation: number | 'right') {
  return { id, generation: generation === 'right' ? (world.jobs.get(id)?.generation ?? 0) : generation }
}

/** How far the first three slots have come when a history begins: swaps begin where runners wait for their jobs. */
const stages = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 3, maxLength: 3 })

function begin(startAt: readonly number[]): AssignmentWorld {
  const world = new AssignmentWorld()
  for (const [index, progress] of startAt.entries()) {
    const [id, uid] = [JOBS[index] ?? 1, SLOTS[index] ?? 'a']
    if (progress > 0) world.apply({ kind: 'job-queued', at: 0, facts: makeFacts(id) })
    if (progress > 0) world.apply({ kind: 'slot-appeared', at: 0, facts: slotOfScope(uid) })
    if (progress > 1) world.claim(id, uid, 0)
    if (progress > 2) world.apply(toHappening(world, { kind: 'mint', slot: uid, at: 0, generation: 'right' }))
    if (progress > 3) world.apply({ kind: 'slot-registered', at: 0, runner: runner(uid) })
  }
  return world
}

function take(world: AssignmentWorld, one: Step) {
  if (one.kind !== 'claim') return world.apply(toHappening(world, one))
  // The matcher offers a slot only the jobs of its scope.
  return (world.jobs.get(one.job)?.scope ?? '') === jobScope(one.slot)
    ? world.claim(one.job, one.slot, one.at)
    : NO_CHANGES
}

/** So many reach every answer. */
const ALL_RUNS = 2_000

function assertOverHistories(
  check: (world: AssignmentWorld, steps: readonly Step[]) => void,
  numRuns = draws(ALL_RUNS),
): void {
  fc.assert(
    fc.property(history, stages, (steps, startAt) => check(begin(startAt), steps)),
    { numRuns },
  )
}

describe('for any events in any order', () => {
  it('reaches every cell of both tables, so that the properties below cover it', () => {
    const answers = new AnswerCount()
    assertOverHistories((world, steps) => {
      for (const one of steps) answers.add(take(world, one))
    }, ALL_RUNS)
    expect(answers.missing()).toEqual([])
  })

  it('a finished job never comes back', () => {
    assertOverHistories((world, steps) => {
      const finished = new Map<number, unknown>()
      for (const one of steps) {
        take(world, one)
        for (const [id, value] of finished) expect(world.jobs.get(id)).toEqual(value)
        for (const found of world.jobs.values()) if (found.state === 'finished') finished.set(found.id, found)
      }
    })
  })

  it('a slot executes at most one job, ever', () => {
    assertOverHistories((world, steps) => {
      const executed = new Map<string, Set<number>>(SLOTS.map((uid) => [uid, new Set()]))
      for (const one of steps) {
        take(world, one)
        for (const found of world.slots.values()) {
          if (found.state === 'executing') executed.get(found.uid)?.add(found.executing)
          if ('executed' in found && found.executed !== null) executed.get(found.uid)?.add(found.executed)
        }
      }
      for (const jobs of executed.values()) expect(jobs.size).toBeLessThanOrEqual(1)
    })
  })

  it('an executing slot is released only by its own runner, or by its pod', () => {
    assertOverHistories((world, steps) => {
      for (const one of steps) {
        for (const { before, after } of take(world, one).slots) {
          if (before?.state !== 'executing') continue
          expect(one.kind).toBe('happens')
          if (one.kind !== 'happens' || one.happening.kind === 'slot-ended' || one.happening.kind === 'slot-lost')
            continue
          expect(one.happening).toMatchObject({ kind: 'job-completed', facts: { id: before.executing } })
          const named = 'runner' in one.happening ? one.happening.runner : null
          expect(named !== null && isSameRunner(named, before.runner)).toBe(true)
          expect(after.state).toBe('ended')
        }
      }
    })
  })

  it('an executing job never goes back to the queue', () => {
    assertOverHistories((world, steps) => {
      for (const one of steps) {
        for (const { before, after } of take(world, one).jobs) {
          if (before?.state === 'executing') expect(['executing', 'finished']).toContain(after.state)
        }
      }
    })
  })

  it('a handle of another generation changes nothing', () => {
    assertOverHistories((world, steps) => {
      for (const one of steps) {
        const stale =
          (one.kind === 'mint' && ![world.slots.get(one.slot)?.generation, 'right'].includes(one.generation)) ||
          (one.kind === 'return' && ![world.jobs.get(one.job)?.generation, 'right'].includes(one.generation))
        const before = world.snapshot()
        take(world, one)
        if (stale) expect(world.snapshot()).toBe(before)
      }
    })
  })

  it('a repeated delivery changes nothing, at any later time', () => {
    assertOverHistories((world, steps) => {
      const deliveries: Happening[] = []
      for (const one of steps) {
        take(world, one)
        if (one.kind === 'happens' && one.happening.kind.startsWith('job-')) deliveries.push(one.happening)
        const before = world.snapshot()
        for (const again of deliveries) world.apply(again)
        expect(world.snapshot()).toBe(before)
      }
    })
  })

  it('a waiting job and its intended slot name each other, and no other does', () => {
    assertOverHistories((world, steps) => {
      for (const one of steps) {
        take(world, one)
        const live = [...world.slots.values()].filter((found) => isLive(found))
        for (const found of live) {
          const meant = intendedJob(found)
          if (meant !== null) expect(world.jobs.get(meant)).toMatchObject({ slot: found.uid })
        }
        for (const found of world.jobs.values()) {
          if (found.state !== 'claimed' && found.state !== 'minted') continue
          const holder = world.slots.get(found.slot)
          expect(holder?.scope).toBe(found.scope)
          if (holder !== undefined) expect(found.state === 'minted').toBe(slotRunner(holder) !== null)
          expect(holder === undefined ? null : intendedJob(holder)).toBe(found.id)
          expect(live.filter((other) => intendedJob(other) === found.id).length).toBeLessThanOrEqual(1)
        }
      }
    })
  })

  it('a job counts a recovery exactly when it goes back to the queue', () => {
    assertOverHistories((world, steps) => {
      for (const one of steps) {
        for (const { before, after, event } of take(world, one).jobs) {
          const counted = after.recoveries - (before?.recoveries ?? 0)
          if (event.kind === 'retried') expect(after.recoveries).toBe(0)
          else expect(counted).toBe(event.kind === 'returned' ? 1 : 0)
          expect(after.state === 'queued').toBe(['returned', 'announced', 'retried', 'moved'].includes(event.kind))
        }
      }
    })
  })
})
