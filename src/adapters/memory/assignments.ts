import { scopesToWake } from '#/core/dispatch/assignment.ts'
import type { Changes } from '#/core/dispatch/assignment.ts'
import { toClaims, decideClaims } from '#/core/dispatch/claims.ts'
import type { Claim } from '#/core/dispatch/claims.ts'
import type { Candidates, Choose, HeldShare } from '#/core/dispatch/fairness.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { intendedJob, isLive } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { Assignments, MatchRequest } from '#/ports/store/assignments.ts'
import { findInvolved } from './find-involved.ts'
import { byWaiting } from './queue.ts'
import { byText, jobSlot } from './tables.ts'
import type { Tables } from './tables.ts'

export function memoryAssignments(tables: Tables): Assignments {
  return {
    involved: async (key) => findInvolved(tables, key),
    commit: async (changes) => commit(tables, changes),
    match: async (request, choose) => match(tables, request, choose),
    job: async (id) => tables.jobs.get(id) ?? null,
    slot: async (uid) => tables.slots.get(uid) ?? null,
    jobs: async (filter) => listJobs(tables, filter),
    slots: async ({ states, scope, limit }) =>
      [...tables.slots.values()]
        .filter((slot) => (states?.includes(slot.state) ?? true) && (scope === undefined || slot.scope === scope))
        .sort(byAppearance)
        .slice(0, limit),
    history: async (job) => tables.history.get(job)?.slice() ?? [],
  }
}

function listJobs(tables: Tables, filter: Parameters<Assignments['jobs']>[0]): readonly Job[] {
  const { states, scope, repository, latest, limit } = filter
  const wanted = [...tables.jobs.values()].filter(
    (job) =>
      (states?.includes(job.state) ?? true) &&
      (scope === undefined || job.scope === scope) &&
      (repository === undefined || job.repository === repository),
  )
  return wanted.sort(latest === true ? (a, b) => byWaiting(b, a) : byWaiting).slice(0, limit)
}

function commit(tables: Tables, changes: Changes): 'committed' | 'stale' {
  if (!isCurrent(tables, changes) || claimsTwice(tables, changes)) return 'stale'
  for (const { before, after, event } of changes.jobs) {
    tables.putJob(after)
    const row = { job: after.id, generation: after.generation, event, from: before?.state ?? null, to: after.state }
    tables.history.set(after.id, [...(tables.history.get(after.id) ?? []), { ...row, at: event.at }])
  }
  for (const { after } of changes.slots) tables.putSlot(after)
  wake(tables, changes)
  return 'committed'
}

function isCurrent(tables: Tables, { jobs, slots }: Changes): boolean {
  return (
    jobs.every(({ before, after }) => tables.jobs.get(after.id)?.generation === before?.generation) &&
    slots.every(({ before, after }) => tables.slots.get(after.uid)?.generation === before?.generation) &&
    new Set(jobs.map(({ after }) => after.id)).size === jobs.length &&
    new Set(slots.map(({ after }) => after.uid)).size === slots.length
  )
}

/** What the exclusion constraints refuse: two live slots meant for one job, or two jobs that wait for one slot. */
function claimsTwice(tables: Tables, { jobs, slots }: Changes): boolean {
  const movedJobs = new Set(jobs.map(({ after }) => after.id))
  const movedSlots = new Set(slots.map(({ after }) => after.uid))
  const newlyMeant = slots.map(({ after }) => (isLive(after) ? intendedJob(after) : null)).filter((job) => job !== null)
  const newlyHeld = jobs.map(({ after }) => jobSlot(after)).filter((slot) => slot !== null)
  return (
    new Set(newlyMeant).size < newlyMeant.length ||
    new Set(newlyHeld).size < newlyHeld.length ||
    newlyMeant.some((job) => isOutside(tables.meantFor.get(job), movedSlots)) ||
    newlyHeld.some((slot) => isOutside(tables.heldBy.get(slot), movedJobs))
  )
}

function isOutside<T>(holder: T | undefined, moved: ReadonlySet<T>): boolean {
  return holder !== undefined && !moved.has(holder)
}

function wake(tables: Tables, changes: Changes): void {
  for (const scope of scopesToWake(changes)) for (const { onWake } of tables.listeners) onWake(scope)
}

function match(tables: Tables, request: MatchRequest, choose: Choose): readonly Claim[] {
  const candidates = findCandidates(tables, request)
  if (candidates.jobs.length === 0 || candidates.slots.length === 0) return []
  const changes = decideClaims(candidates, choose(candidates), request.at)
  // Nobody wrote since the candidates were read, so a refusal is a fault, not an outcome.
  if (commit(tables, changes) === 'stale') throw new Error('a claim does not fit what the store holds')
  return toClaims(changes)
}

function findCandidates(tables: Tables, { scope, waiting, jobLimit, at }: MatchRequest): Candidates {
  const warm = [...new Set(waiting)]
    .map((uid) => tables.liveSlots.get(uid))
    .filter((slot) => slot !== undefined)
    .filter((slot) => slot.state === 'warm' && slot.scope === scope)
    .sort(byAppearance)
  const jobs = tables.queue.inTurns({ scope, at, perRepository: waiting.length, limit: jobLimit })
  return { jobs, slots: warm, held: heldShares(tables, scope) }
}

function heldShares(tables: Tables, scope: string): readonly HeldShare[] {
  const shares = [...(tables.shares.get(scope) ?? [])].map(([repository, slots]) => ({ repository, slots }))
  return shares.sort((a, b) => byText(a.repository, b.repository))
}

function byAppearance(a: Slot, b: Slot): number {
  return a.appearedAt - b.appearedAt || byText(a.uid, b.uid)
}
