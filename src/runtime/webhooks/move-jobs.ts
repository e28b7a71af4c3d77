import { findPool } from '#/core/pools/find-pool.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { record } from '#/runtime/dispatch/record.ts'

type Means = {
  readonly assignments: Pick<Assignments, 'jobs' | 'involved' | 'commit'>
  readonly clock: Pick<Clock, 'now'>
}

type Matching = Pick<RunnerPool, 'namespace' | 'name' | 'labels' | 'github'>

/** With more jobs than that in the queue, the rest moves with the next change of the pools. */
const MOST = 10_000

/**
 * Queued jobs whose pool was renamed, deleted or declared for others go to the pool that fits them now; where none does they
 * stay, and the queue says so. Several replicas may do it at once: each move names the version of the job.
 */
export async function moveJobs(pools: readonly Matching[], { assignments, clock }: Means): Promise<number> {
  let moved = 0
  for (const { id, generation, repository, labels, scope: former } of await assignments.jobs({
    states: ['queued'],
    limit: MOST,
  })) {
    const match = findPool({ repository, labels }, pools)
    if (match.kind !== 'pool' || poolScope(match.pool) === former) continue
    const scope = poolScope(match.pool)
    const done = await record(assignments, { kind: 'job-moved', at: clock.now(), job: { id, generation }, scope })
    if (done.kind === 'changed') moved += 1
  }
  return moved
}
