import type { Happening } from '#/core/dispatch/assignment.ts'
import type { Job, JobFacts } from '#/core/dispatch/job.ts'
import type { Slot, SlotFacts } from '#/core/dispatch/slot.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { Delivery } from '#/ports/store/deliveries.ts'
import type { Store } from '#/ports/store/store.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { jobFacts as plainJobFacts } from '#test/core/assignment-world.ts'

export function jobFacts(id: number, overrides: Partial<JobFacts> = {}): JobFacts {
  return plainJobFacts(id, { labels: ['self-hosted', 'linux'], scope: 'pool', queuedAt: id, ...overrides })
}

export function slotFacts(uid: string, overrides: Partial<SlotFacts> = {}): SlotFacts {
  return { uid, namespace: 'runners', pod: `runner-${uid}`, scope: 'pool', node: null, appearedAt: 1, ...overrides }
}

export function delivery(guid: string, overrides: Partial<Delivery> = {}): Delivery {
  const body = '{"action":"queued"}'
  return { guid, event: 'workflow_job', receivedAt: 1, job: null, repository: null, body, ...overrides }
}

export function deathRecord(uid: string, overrides: Partial<DeathRecord> = {}): DeathRecord {
  return {
    uid,
    namespace: 'runners',
    pod: `runner-${uid}`,
    node: null,
    scope: null,
    job: null,
    pool: null,
    repository: null,
    runner: null,
    missed: false,
    diedAt: 1,
    recordedAt: 2,
    verdict: null,
    ...overrides,
  }
}

/** Records what happened; throws if nothing changed. */
export async function recordAll(store: Store, ...happenings: readonly Happening[]): Promise<void> {
  for (const happening of happenings) {
    const { kind } = await record(store.assignments, happening)
    if (kind !== 'changed') throw new Error(`${happening.kind} was ${kind}`)
  }
}

export const queued = (id: number, overrides: Partial<JobFacts> = {}): Happening => ({
  kind: 'job-queued',
  at: overrides.queuedAt ?? id,
  facts: jobFacts(id, overrides),
})

export const appeared = (uid: string, overrides: Partial<SlotFacts> = {}): Happening => ({
  kind: 'slot-appeared',
  at: 1,
  facts: slotFacts(uid, overrides),
})

/** A claim of this job by this slot, through the matcher. */
export async function claim(store: Store, job: number, slot: string, at = 1000): Promise<void> {
  const request = { scope: 'pool', waiting: [slot], jobLimit: 1000, at }
  const claims = await store.assignments.match(request, () => [{ job, slot }])
  if (claims.length !== 1) throw new Error(`slot ${slot} did not get job ${job}`)
}

/** Mints the configuration of the slot's runner. */
export async function mint(store: Store, uid: string, runner: { id: number | null; name: string }): Promise<void> {
  const { generation } = await getSlot(store.assignments, uid)
  await recordAll(store, { kind: 'slot-minted', at: 1001, slot: { uid, generation }, runner })
}

export async function getJob(assignments: Assignments, id: number): Promise<Job> {
  const job = await assignments.job(id)
  if (job === null) throw new Error(`there is no job ${id}`)
  return job
}

export async function getSlot(assignments: Assignments, uid: string): Promise<Slot> {
  const slot = await assignments.slot(uid)
  if (slot === null) throw new Error(`there is no slot ${uid}`)
  return slot
}
