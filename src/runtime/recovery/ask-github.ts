import { blind, mapSeen } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { isSameRunner } from '#/core/dispatch/runner.ts'
import type { Runner } from '#/core/dispatch/runner.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { JobAtGitHub, RunAtGitHub, RunnerAtGitHub } from '#/core/recovery/seen-at-github.ts'
import type { RegisteredRunner, Registration } from '#/ports/github.ts'
import type { Look } from './means.ts'

/** Of one round: GitHub has a budget, and the loops are not the only ones who use it. Two for each act, and some lists. */
export const MOST_LOOKUPS = 50
/** The last tenth of a budget is for jobs that begin. */
const LEAST_SHARE = 0.1

export type AskGitHub = {
  readonly job: (job: Job) => Promise<Observed<JobAtGitHub>>
  readonly run: (job: Job) => Promise<Observed<RunAtGitHub>>
  /** Every runner of the place; one list per place and round. */
  readonly runners: (at: Registration) => Promise<Observed<readonly RegisteredRunner[]>>
  readonly runner: (at: Registration | null, runner: Runner | null) => Promise<Observed<RunnerAtGitHub>>
}

/** GitHub for one round of one loop: each place is listed once, and what the budget does not allow is blind. */
export function askGitHub({ means: { github, clock }, signal }: Look): AskGitHub {
  const lists = new Map<string, Promise<Observed<readonly RegisteredRunner[]>>>()
  let lookups = 0
  const spend = (): Blind | null => {
    const now = clock.now()
    const short = github.access
      .budgets()
      .filter(({ resource }) => resource === 'core')
      .find((one) => (one.resetAt > now && one.remaining < one.limit * LEAST_SHARE) || (one.heldUntil ?? 0) > now)
    if (short !== undefined) return blind('refused-by-limits', `little is left of the budget of ${short.credential}`)
    lookups += 1
    return lookups > MOST_LOOKUPS ? blind('refused-by-limits', `${MOST_LOOKUPS} were asked about in this round`) : null
  }
  const runners = async (at: Registration): Promise<Observed<readonly RegisteredRunner[]>> => {
    const key = placeOf(at)
    const known = lists.get(key)
    if (known !== undefined) return await known
    const asked = spend() ?? github.runners.list(at, { signal })
    const list = Promise.resolve(asked)
    lists.set(key, list)
    return await list
  }
  return {
    job: async ({ repository, id }) => spend() ?? (await github.jobs.byId(repository, id, { signal })),
    run: async ({ repository, runId }) => spend() ?? (await github.jobs.run(repository, runId, { signal })),
    runners,
    runner: async (at, runner) => {
      if (at === null) return blind('not-asked', 'no pool says where its runner is registered')
      if (runner === null) return blind('not-asked', 'the runner of the slot is not known')
      const listed = await runners(at)
      if (listed.kind !== 'seen') return listed
      const row = listed.value.find((one) => isSameRunner(one, runner))
      return row === undefined ? { kind: 'none' } : mapSeen({ kind: 'seen', value: row }, toRow)
    },
  }
}

/** A status that GitHub does not explain counts as online: an online runner may get a job. */
export function toRow({ id, name, status, busy }: RegisteredRunner): RunnerAtGitHub {
  return { id, name, online: status !== 'offline', busy }
}

/** `OWNER` or `OWNER/REPOSITORY`. */
export function placeOf(at: Registration): string {
  return at.kind === 'organization' ? at.organization : at.repository
}

export function registrationFromPlace(place: string): Registration {
  return place.includes('/') ? { kind: 'repository', repository: place } : { kind: 'organization', organization: place }
}

/** Where the runner of this job is registered; null where its pool is not declared now. */
export function findRegistration(pools: Observed<readonly RunnerPool[]>, job: Job): Registration | null {
  const pool = pools.kind === 'seen' ? pools.value.find((one) => poolScope(one) === job.scope) : undefined
  if (pool === undefined) return null
  return pool.github.scope === 'organization'
    ? { kind: 'organization', organization: pool.github.owner }
    : { kind: 'repository', repository: job.repository }
}

/** Every place in which the pools register runners. */
export function allRegistrations(pools: readonly RunnerPool[]): readonly Registration[] {
  const places = pools.flatMap(({ github: { scope, owner, repositories } }) =>
    scope === 'organization' ? [owner] : repositories.map((name) => `${owner}/${name}`),
  )
  return [...new Set(places)].map(registrationFromPlace)
}
