import fc from 'fast-check'
import type { Happening } from '#/core/dispatch/assignment.ts'
import { RETURN_REASONS } from '#/core/dispatch/job.ts'
import type { Runner } from '#/core/dispatch/runner.ts'
import { jobFacts, slotFacts } from '#test/contracts/store-builders.ts'

export type Progress = 'claimed' | 'minted' | 'registered' | 'executing' | 'ended' | 'lost'

/** Commands for a store's assignments, with so few ids that events often collide. */
export type Command =
  /** With a pick it is aimed at what the store holds (see aim). The offset makes a handle right, late or early. */
  | {
      readonly kind: 'happening'
      readonly happening: Happening
      readonly pick: number | null
      readonly offset: number
    }
  /** Decides the first, then records the second, and only then writes the first. */
  | { readonly kind: 'late-write'; readonly first: Happening; readonly second: Happening }
  | { readonly kind: 'replay'; readonly back: number }
  | {
      readonly kind: 'match'
      readonly scope: string
      readonly waiting: readonly string[]
      readonly jobLimit: number
      readonly at: number
      readonly choose: 'fair' | 'capped' | 'careless'
    }
  /** Gives every slot a job, as long as there are jobs, and advances it to its progress: where swaps start. */
  | { readonly kind: 'dispatch-all'; readonly named: boolean; readonly progress: readonly Progress[] }
  | { readonly kind: 'sweep'; readonly finishedJobsMs: number; readonly now: number }

export const JOB_IDS = Array.from({ length: 20 }, (_, index) => index + 1)
export const SLOT_UIDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']
export const REPOSITORIES = ['acme/app', 'acme/lib']
export const LATEST_MS = 100_000

const time = fc.nat(LATEST_MS)
const jobId = fc.constantFrom(...JOB_IDS)
const slotUid = fc.constantFrom(...SLOT_UIDS)
const scope = fc.constantFrom('pool', 'pool', 'pool', 'pool', 'pool', 'large')

/** Mostly the runner of a slot, by id, name or both; sometimes the name of another. */
const runner: fc.Arbitrary<Runner> = fc
  .record({ index: fc.nat(SLOT_UIDS.length - 1), name: fc.nat(SLOT_UIDS.length * 4), known: fc.boolean() })
  .map(({ index, name, known }) => ({
    id: known ? index + 100 : null,
    name: `runner-${SLOT_UIDS[name] ?? SLOT_UIDS[index]}`,
  }))

const facts = fc
  .record({ id: jobId, scope, queuedAt: time })
  .map(({ id, ...rest }) => jobFacts(id, { repository: REPOSITORIES[id % 2]!, ...rest }))

/** Events that advance a slot are drawn more often than those that end it, or few would get far. */
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('job-queued' as const), at: time, facts }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('job-started' as const), at: time, facts, runner }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('job-completed' as const),
      at: time,
      facts,
      runner: fc.option(runner),
      conclusion: fc.constantFrom('success', 'failure'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('slot-appeared' as const),
      at: time,
      facts: fc.record({ uid: slotUid, scope, appearedAt: time }).map(({ uid, ...rest }) => slotFacts(uid, rest)),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('slot-minted' as const),
      at: time,
      slot: slotUid.map((uid) => ({ uid, generation: 0 })),
      runner,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('slot-registered' as const), at: time, runner }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('slot-ended' as const, 'slot-lost' as const),
      at: time,
      uid: slotUid,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('job-returned' as const),
      at: time,
      job: jobId.map((id) => ({ id, generation: 0 })),
      slot: slotUid,
      reason: fc.constantFrom(...RETURN_REASONS),
    }),
  },
)

const match = fc.record({
  kind: fc.constant('match' as const),
  scope,
  waiting: fc.oneof(fc.constant(SLOT_UIDS), fc.array(slotUid, { maxLength: 5 })),
  jobLimit: fc.integer({ min: 1, max: 6 }),
  at: fc.oneof({ weight: 3, arbitrary: fc.constant(LATEST_MS) }, { weight: 1, arbitrary: time }),
  choose: fc.constantFrom('fair', 'capped', 'careless'),
})

const progress = fc.constantFrom<Progress>(
  'claimed',
  'minted',
  'minted',
  'registered',
  'registered',
  'executing',
  'ended',
  'lost',
)
const dispatchAll = fc.record({
  kind: fc.constant('dispatch-all' as const),
  named: fc.boolean(),
  progress: fc.array(progress, { minLength: SLOT_UIDS.length, maxLength: SLOT_UIDS.length }),
})

export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('happening' as const),
      happening,
      pick: fc.option(fc.nat(59), { freq: 6 }),
      offset: fc.constantFrom(0, 0, 0, 0, -1, 1),
    }),
  },
  { weight: 4, arbitrary: match },
  { weight: 4, arbitrary: dispatchAll },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('late-write' as const), first: happening, second: happening }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replay' as const), back: fc.integer({ min: 1, max: 10 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('sweep' as const), finishedJobsMs: time, now: fc.constant(LATEST_MS) }),
  },
)

/** Half of the jobs and all slots exist from the start. */
const HANDLE = { id: 1, generation: 0 }
const toCommand = (happening: Happening, pick: number | null): Command => ({
  kind: 'happening',
  happening,
  pick,
  offset: 0,
})

/** A job that is given back, retried before it is due, and moved to another pool. */
const GIVEN_BACK: readonly Command[] = [
  toCommand({ kind: 'slot-appeared', at: 1, facts: slotFacts('a') }, null),
  toCommand({ kind: 'job-queued', at: 1, facts: jobFacts(1) }, null),
  { kind: 'match', scope: 'pool', waiting: ['a'], jobLimit: 1, at: 2, choose: 'fair' },
  toCommand({ kind: 'job-returned', at: 3, job: HANDLE, slot: 'a', reason: 'slot-lost' }, 0),
  toCommand({ kind: 'job-retried', at: 4, job: HANDLE }, 0),
  toCommand({ kind: 'job-moved', at: 5, job: HANDLE, scope: 'large' }, 0),
]

export const PRELUDE: readonly Command[] = [
  ...GIVEN_BACK,
  ...SLOT_UIDS.map((uid): Happening => ({ kind: 'slot-appeared', at: 1, facts: slotFacts(uid) })).map((one) =>
    toCommand(one, null),
  ),
  ...JOB_IDS.filter((id) => id % 2 === 0).map((id) =>
    toCommand({ kind: 'job-queued', at: 1, facts: jobFacts(id) }, null),
  ),
]
