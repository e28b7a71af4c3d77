import { orderFairly } from '#/core/dispatch/fairness.ts'
import type { FairnessRules, HeldShare } from '#/core/dispatch/fairness.ts'
import type { Job } from '#/core/dispatch/job.ts'
import type { PoolQueue } from './world.ts'

/** What waits in each scope. A job that a cap or a back-off withholds makes no pool larger. */
export function readQueues(
  jobs: readonly Job[],
  rulesOf: (scope: string) => FairnessRules | undefined,
  now: number,
): ReadonlyMap<string, PoolQueue> {
  const byScope = Map.groupBy(jobs, ({ scope }) => scope)
  return new Map([...byScope].map(([scope, own]) => [scope, readQueue(own, rulesOf(scope), now)]))
}

function readQueue(jobs: readonly Job[], rules: FairnessRules | undefined, now: number): PoolQueue {
  const waiting = jobs.filter(({ state }) => state === 'queued')
  const due = waiting.filter((job) => job.state === 'queued' && job.notBefore <= now)
  const { next, withheld } = orderFairly(due, heldBy(jobs), rules)
  const held = [...withheld.map(({ job }) => job), ...waiting.filter((job) => !due.includes(job))]
  return {
    dispatchable: next.length,
    withheld: held.length,
    oldestDispatchable: oldest(next),
    oldestWithheld: oldest(held),
  }
}

function heldBy(jobs: readonly Job[]): readonly HeldShare[] {
  const slots = new Map<string, number>()
  for (const { state, repository } of jobs) {
    if (state !== 'queued' && state !== 'finished') slots.set(repository, (slots.get(repository) ?? 0) + 1)
  }
  return [...slots].map(([repository, count]) => ({ repository, slots: count }))
}

function oldest(jobs: readonly Job[]): number | null {
  return jobs.length === 0 ? null : jobs.reduce((least, { queuedAt }) => Math.min(least, queuedAt), Infinity)
}
