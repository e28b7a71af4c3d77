import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { Changes, Happening } from '#/core/dispatch/assignment.ts'
import { chooseFairly, NO_RULES } from '#/core/dispatch/fairness.ts'
import { pickJobFacts, nextJob } from '#/core/dispatch/job.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { Store } from '#/ports/store/store.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { appeared, delivery, jobFacts, queued, recordAll } from '#test/contracts/store-builders.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { openPostgresStore } from './open-postgres-store.ts'
import { witness } from './witness.ts'

const { connectionString } = await testDatabase()
const opened = openPostgresStore(connectionString)
afterAll(opened.close)

const WRITERS = 8
const STEPS = LONG_RUN ? 120 : 40
const REPOSITORIES = ['acme/app', 'acme/lib', 'acme/web']
const JOBS = Array.from({ length: 40 }, (_, index) => index + 1)
const SLOTS = Array.from({ length: 30 }, (_, index) => `slot-${index}`)
const CAP = 6
const CAPS = new Map(REPOSITORIES.map((repository) => [repository, CAP]))
const LATER = 1_000_000
/** Finished long ago, for retention to remove among the writers. */
const OLD_JOBS = Array.from({ length: 1200 }, (_, index) => 10_000 + index)

const dice = fc.record({ action: fc.nat(9), job: fc.nat(JOBS.length - 1), slot: fc.nat(SLOTS.length - 1) })
type Dice = typeof dice extends fc.Arbitrary<infer T> ? T : never

it('keeps every change once and in order when many write, match and sweep at the same time', async () => {
  const seen: Changes[] = []
  const store = witness(opened.store, (changes) => seen.push(changes))
  await begin(store)
  const plans = fc.sample(fc.array(dice, { minLength: STEPS, maxLength: STEPS }), WRITERS)
  await Promise.all([...plans.map(async (plan) => await write(store, plan)), sweep(store), swap(store)])
  const jobs = await store.assignments.jobs({ limit: 10_000 })
  const slots = await store.assignments.slots({ limit: 10_000 })
  expectChains(
    seen.flatMap((changes) => changes.jobs),
    new Map(jobs.map((job) => [job.id, job])),
    ({ id }) => id,
  )
  expectChains(
    seen.flatMap((changes) => changes.slots),
    new Map(slots.map((slot) => [slot.uid, slot])),
    ({ uid }) => uid,
  )
  for (const job of jobs) await expectHistory(store.assignments, job)
  expect(seen.flatMap((changes) => changes.jobs).filter(({ event }) => event.kind === 'retargeted')).not.toEqual([])
}, 300_000)

async function begin(store: Store): Promise<void> {
  for (const id of JOBS)
    await recordAll(store, queued(id, { repository: REPOSITORIES[id % REPOSITORIES.length] ?? '' }))
  for (const uid of SLOTS) await recordAll(store, appeared(uid))
  await opened.pool.query(
    `insert into jobs (id, run_id, run_attempt, repository, workflow, name, labels, scope, queued_at, generation,
       recoveries, state, conclusion, finished_at)
     select id, 1, 1, 'acme/old', 'ci', 'old', '{}', 'pool', 0, 1, 0, 'finished', 'success', 1 from unnest($1::bigint[]) as id`,
    [OLD_JOBS],
  )
  for (let index = 0; index < 50; index += 1) await store.deliveries.record(delivery(`old-${index}`))
}

async function sweep(store: Store): Promise<void> {
  const policy = { deliveriesMs: 10, finishedJobsMs: LATER - 10, deathsMs: 1, ledgerMs: 1, evidenceBytes: 0 }
  const reports = await Promise.all([store.retention.sweep(policy, LATER), store.retention.sweep(policy, LATER)])
  expect(reports.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(OLD_JOBS.length)
}

/** What the dice may never throw: GitHub gives each of two jobs to the runner that was minted for the other. */
async function swap(store: Store): Promise<void> {
  const scope = 'swap'
  await recordAll(store, ...SWAPPED.flatMap(({ job, slot }) => [queued(job, { scope }), appeared(slot, { scope })]))
  const request = { scope, waiting: SWAPPED.map(({ slot }) => slot), jobLimit: 10, at: LATER }
  const claims = await store.assignments.match(request, chooseFairly())
  expect(claims).toHaveLength(SWAPPED.length)
  for (const [index, { slot, handle }] of claims.entries()) {
    const runner = { id: 900 + index, name: `runner-${slot.uid}` }
    await recordAll(store, { kind: 'slot-minted', at: LATER, slot: handle, runner })
  }
  const [first, second] = claims
  if (first === undefined || second === undefined) return
  const runner = { id: 901, name: `runner-${second.slot.uid}` }
  await recordAll(store, { kind: 'job-started', at: LATER, facts: pickJobFacts(first.job), runner })
}

const SWAPPED = [
  { job: 901, slot: 'swap-a' },
  { job: 902, slot: 'swap-b' },
]

async function write(store: Store, plan: readonly Dice[]): Promise<void> {
  for (const [step, thrown] of plan.entries()) {
    const at = LATER + step
    if (thrown.action < 2) {
      const request = { scope: 'pool', waiting: SLOTS, jobLimit: 10, at: at + LATER }
      await store.assignments.match(request, chooseFairly({ ...NO_RULES, caps: CAPS }))
      continue
    }
    const happening = await aimed(store.assignments, thrown, at)
    if (happening === null) continue
    const { kind } = await record(store.assignments, happening)
    expect(kind).not.toBe('contended')
  }
}

/** What can happen next to the chosen slot and job, by their current state. */
async function aimed(assignments: Assignments, { action, job, slot }: Dice, at: number): Promise<Happening | null> {
  const [id, uid] = [JOBS[job] ?? 0, SLOTS[slot] ?? '']
  const [found, other] = [await assignments.slot(uid), await assignments.job(id)]
  if (found === null || other === null) return null
  if (action === 8) {
    return 'slot' in other ? { kind: 'job-returned', at, job: other, slot: other.slot, reason: 'by-hand' } : null
  }
  if (found.state === 'claimed') {
    return { kind: 'slot-minted', at, slot: found, runner: { id: slot, name: `runner-${uid}` } }
  }
  return ofRunner(found, other, { action, at })
}

function ofRunner(slot: Slot, job: Job, { action, at }: { readonly action: number; readonly at: number }) {
  const runner = slotRunner(slot)
  if (runner === null) return null
  if (action < 7) return { kind: 'job-started', at, facts: pickJobFacts(job), runner } as const
  if (action === 7) return { kind: 'slot-registered', at, runner } as const
  if (slot.state !== 'executing') return null
  return { kind: 'job-completed', at, facts: jobFacts(slot.executing), runner, conclusion: 'success' } as const
}

type Row = Job | Slot

/** Each generation was written once, after the one before it, and the last is stored. */
function expectChains<T extends Row, K>(
  changes: readonly { readonly before: T | null; readonly after: T }[],
  stored: ReadonlyMap<K, T>,
  toKey: (row: T) => K,
): void {
  const chains = Map.groupBy(changes, ({ after }) => toKey(after))
  for (const [key, chain] of chains) {
    const inOrder = chain.toSorted((a, b) => a.after.generation - b.after.generation)
    expect(inOrder.map(({ after }) => after.generation)).toEqual(inOrder.map((_, index) => index + 1))
    for (const [index, { before }] of inOrder.entries()) expect(before).toEqual(inOrder[index - 1]?.after ?? null)
    expect(stored.get(key)).toEqual(inOrder.at(-1)?.after)
  }
}

/** Replaying the events from the start leads to the stored job. */
async function expectHistory(assignments: Assignments, job: Job): Promise<void> {
  let replayed: Job | null = null
  for (const { event, from, to } of await assignments.history(job.id)) {
    expect(replayed?.state ?? null).toBe(from)
    replayed = nextJob(replayed, event)
    expect(replayed?.state).toBe(to)
  }
  expect(replayed).toEqual(job)
}
