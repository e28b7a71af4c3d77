import { decideAssignment } from '#/core/dispatch/assignment.ts'
import type { Changes, Happening } from '#/core/dispatch/assignment.ts'
import type { Store } from '#/ports/store/store.ts'
import { appeared, queued } from '#test/contracts/store-builders.ts'

const NOBODY = { job: null, slot: null, meantForJob: null, meantForSlot: null }

/** Jobs 1 to `count`, queued, of several repositories, and as many warm slots. */
export async function seed(store: Store, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => index + 1)
  const uids = ids.map((id) => `slot-${id}`)
  await commitNew(store, [
    ...ids.map((id) => queued(id, { repository: `acme/repository-${id % 5}` })),
    ...uids.map((uid) => appeared(uid)),
  ])
  return uids
}

async function commitNew(store: Store, happenings: readonly Happening[]): Promise<void> {
  const changes = happenings.map((happening) => decideAssignment(happening, NOBODY))
  const all: Changes = { jobs: changes.flatMap(({ jobs }) => jobs), slots: changes.flatMap(({ slots }) => slots) }
  if ((await store.assignments.commit(all)) === 'stale') throw new Error('the database was not empty')
}
