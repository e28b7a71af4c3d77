import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { migrate } from '#/adapters/postgres/migrate.ts'
import { migrationsFolder } from '#/adapters/postgres/migrate-folder.ts'
import { chooseFairly } from '#/core/dispatch/fairness.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Store } from '#/ports/store/store.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { appeared, queued } from '#test/contracts/store-builders.ts'
import { ownServer } from '#test/postgres/own-server.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { openPostgresStore } from './open-postgres-store.ts'

const server = ownServer()
const SLOTS_PER_CLAIMER = 10
const AFTER_ALL = 1_000_000_000

/** The answers that the clients of the store got: all that they can rely on. */
class Witness {
  readonly announced: number[] = []
  readonly claimed: { readonly job: number; readonly slot: string }[] = []
  outages = 0
  isOver = false

  /** Retries until the store answers; what happened before an outage is unknown, so it must be safe to repeat. */
  async insist<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        this.outages += 1
        await systemClock.sleep(20)
      }
    }
  }
}

it('loses and repeats nothing when PostgreSQL is restarted and killed under load', { timeout: 300_000 }, async () => {
  const { store, pool, close } = openPostgresStore(server.connectionString)
  onTestFinished(close)
  await migrate({ pool, folder: migrationsFolder(), clock: systemClock, signal: AbortSignal.timeout(60_000) })
  const witness = new Witness()
  const working = [announce(store, witness), ...['x', 'y', 'z'].map((name) => claimAll(store, witness, name))]
  for (const signal of LONG_RUN ? (['SIGINT', 'SIGKILL', 'SIGINT', 'SIGKILL'] as const) : (['SIGKILL'] as const)) {
    const before = witness.claimed.length
    await expect.poll(() => witness.claimed.length, { timeout: 60_000 }).toBeGreaterThan(before + 50)
    await server.restart(signal)
  }
  const before = witness.claimed.length
  await expect.poll(() => witness.claimed.length, { timeout: 60_000 }).toBeGreaterThan(before + 50)
  witness.isOver = true
  await Promise.all(working)
  expect(witness.outages).toBeGreaterThan(0)
  await expectSeenIsStored(store, witness)
  await expectClaimedOnce(store, witness)
})

/** One webhook after the other. */
async function announce(store: Store, witness: Witness): Promise<void> {
  for (let id = 1; !witness.isOver; id += 1) {
    const { kind } = await witness.insist(async () => await record(store.assignments, queued(id)))
    expect(kind).not.toBe('contended')
    witness.announced.push(id)
  }
}

/** New slots appear and wait, and those that got a job leave, until all announced jobs are claimed. */
async function claimAll(store: Store, witness: Witness, name: string): Promise<void> {
  for (let round = 1; ; round += 1) {
    const waiting = Array.from({ length: SLOTS_PER_CLAIMER }, (_, index) => `${name}-${round}-${index}`)
    for (const uid of waiting) await witness.insist(async () => await record(store.assignments, appeared(uid)))
    const wasOver = witness.isOver
    const request = { scope: 'pool', waiting, jobLimit: SLOTS_PER_CLAIMER, at: AFTER_ALL }
    const claims = await witness.insist(async () => await store.assignments.match(request, chooseFairly()))
    witness.claimed.push(...claims.map(({ job, slot }) => ({ job: job.id, slot: slot.uid })))
    if (wasOver && claims.length === 0 && (await nothingWaits(store, witness))) return
  }
}

async function nothingWaits(store: Store, witness: Witness): Promise<boolean> {
  const queue = await witness.insist(async () => await store.assignments.jobs({ states: ['queued'], limit: 1 }))
  return queue.length === 0
}

async function expectSeenIsStored(store: Store, witness: Witness): Promise<void> {
  const limit = Number.MAX_SAFE_INTEGER
  const stored = new Map((await store.assignments.jobs({ limit })).map((job) => [job.id, job]))
  const slots = new Map((await store.assignments.slots({ limit })).map((slot) => [slot.uid, slot]))
  expect(witness.announced.filter((id) => !stored.has(id))).toEqual([])
  for (const { job, slot } of witness.claimed) {
    expect(stored.get(job)).toMatchObject({ state: 'claimed', slot })
    expect(slots.get(slot)).toMatchObject({ state: 'claimed', intended: job })
  }
}

async function expectClaimedOnce(store: Store, witness: Witness): Promise<void> {
  expect(new Set(witness.claimed.map(({ job }) => job)).size).toBe(witness.claimed.length)
  expect(new Set(witness.claimed.map(({ slot }) => slot)).size).toBe(witness.claimed.length)
  const histories = await Promise.all(witness.announced.map(async (id) => await store.assignments.history(id)))
  const paths = new Set(histories.map((history) => history.map(({ to }) => to).join(' ')))
  expect([...paths]).toEqual(['queued claimed'])
}
