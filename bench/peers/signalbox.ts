import { systemClock } from '#/adapters/clock.ts'
import { migrate } from '#/adapters/postgres/migrate.ts'
import { migrationsFolder } from '#/adapters/postgres/migrate-folder.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import { postgresStore } from '#/adapters/postgres/store.ts'
import { postgresWakeups } from '#/adapters/postgres/wakeups.ts'
import { decideAssignment } from '#/core/dispatch/assignment.ts'
import type { Changes, Happening } from '#/core/dispatch/assignment.ts'
import { chooseFairly } from '#/core/dispatch/fairness.ts'
import type { Store } from '#/ports/store/store.ts'
import { BATCH } from './peer.ts'
import type { Peer } from './peer.ts'
import { jobFacts, slotFacts } from '#test/core/assignment-world.ts'

const REPOSITORIES = 40
const NOBODY = { job: null, slot: null, meantForJob: null, meantForSlot: null }

/** The store as the dispatcher uses it: fair between repositories, histories written, caps counted. */
export const signalbox: Peer = {
  name: 'signalbox',
  prepare: async (connectionString, jobs) => {
    const pool = openPool({ connectionString })
    const signal = new AbortController().signal
    await migrate({ pool, folder: migrationsFolder(), clock: systemClock, signal })
    const store = postgresStore({ pool, wakeups: postgresWakeups({ connectionString, clock: systemClock }) })
    const uids = Array.from({ length: jobs }, (_, index) => `slot-${index}`)
    await fill(store, uids)
    await pool.query('analyze')
    return { claimAll: () => claimAll(store, uids), close: () => pool.end() }
  },
}

async function fill(store: Store, uids: readonly string[]): Promise<void> {
  for (let start = 0; start < uids.length; start += BATCH) {
    const happenings = uids.slice(start, start + BATCH).flatMap((uid, offset): readonly Happening[] => {
      const id = start + offset + 1
      const repository = `acme/repository-${id % REPOSITORIES}`
      return [
        { kind: 'job-queued', at: 1, facts: jobFacts(id, { repository, queuedAt: id }) },
        { kind: 'slot-appeared', at: 1, facts: slotFacts(uid) },
      ]
    })
    const changes = happenings.map((happening) => decideAssignment(happening, NOBODY))
    await store.assignments.commit(together(changes))
  }
}

function together(changes: readonly Changes[]): Changes {
  return { jobs: changes.flatMap((one) => one.jobs), slots: changes.flatMap((one) => one.slots) }
}

async function claimAll(store: Store, uids: readonly string[]): Promise<number> {
  const choose = chooseFairly()
  let given = 0
  for (let start = 0; start < uids.length; start += BATCH) {
    const waiting = uids.slice(start, start + BATCH)
    const request = { scope: 'linux', waiting, jobLimit: BATCH, at: 1_000_000 }
    given += (await store.assignments.match(request, choose)).length
  }
  return given
}
