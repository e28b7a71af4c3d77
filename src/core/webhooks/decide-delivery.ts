import type { Happening, Involved } from '#/core/dispatch/assignment.ts'
import type { Job, JobFacts } from '#/core/dispatch/job.ts'
import { isSameRunner } from '#/core/dispatch/runner.ts'
import { findPool } from '#/core/pools/find-pool.ts'
import type { PoolMatch } from '#/core/pools/find-pool.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import type { DeliveryOutcome } from './outcome.ts'
import type { PoolFacts } from './own-runner.ts'
import type { ReportedJob } from './read-delivery.ts'

export type DeliveryContext = {
  readonly pools: readonly PoolFacts[]
  readonly installations: KnownInstallations
  /** The job and the slot of its runner, without a slot that is not ours to move: see withoutForeignSlot. */
  readonly involved: Involved
  readonly receivedAt: number
}

export type KnownInstallations = {
  /** Null: any of the owners below. */
  readonly id: number | null
  /** `owner` or `owner/repository`, besides those of the pools. */
  readonly owners: readonly string[]
}

export type DeliveryDecision =
  | { readonly kind: 'happening'; readonly happening: Happening }
  | { readonly kind: 'outcome'; readonly outcome: DeliveryOutcome; readonly why: string | null }

/**
 * What a delivery means. The status decides, not the action: GitHub sends `action: queued` with `status: waiting` for a job
 * that an environment holds back, and a runner for it would wait for an approval that may never come.
 */
export function decideDelivery(reported: ReportedJob, context: DeliveryContext): DeliveryDecision {
  const stranger = findStranger(reported, context)
  if (stranger !== null) return outcome('no-installation', stranger)
  switch (reported.status) {
    case 'queued':
    case 'in_progress':
    case 'completed':
      return inScope(reported, context)
    case 'waiting':
    case 'pending':
    case 'requested':
      return outcome('applied', `a job that is ${reported.status} cannot run yet: nothing to do until GitHub queues it`)
    case 'unknown':
      return outcome('parked', 'GitHub reports a status that this version does not know')
  }
}

/** What a delivery that changed nothing was: said before, or overtaken by what is known. */
export function judgeUnchanged(happening: Happening, job: Job | null): 'duplicate' | 'stale' {
  if (job === null) return 'stale'
  switch (happening.kind) {
    case 'job-queued':
      return job.state === 'executing' || job.state === 'finished' ? 'stale' : 'duplicate'
    case 'job-started':
      return job.state === 'executing' && isSameRunner(job.runner, happening.runner) && job.startedAt === happening.at
        ? 'duplicate'
        : 'stale'
    default:
      return job.state === 'finished' ? 'duplicate' : 'stale'
  }
}

function findStranger({ installation, repository }: ReportedJob, context: DeliveryContext): string | null {
  const { id, owners } = context.installations
  if (id !== null && installation !== null && installation !== id) {
    return `installation ${installation} is not ${id}, which is configured`
  }
  if (context.involved.job !== null) return null
  const known = [...context.pools.map(({ github }) => github.owner), ...owners].map((one) => one.toLowerCase())
  const [owner = ''] = repository.toLowerCase().split('/')
  if (known.some((one) => one === owner || one.split('/')[0] === owner)) return null
  const through = installation === null ? '' : ` (installation ${installation})`
  return `no pool and no github.owners names ${owner}${through}`
}

/** A job that is known keeps its scope, and a runner of ours names one; only then the labels are asked. */
function inScope(reported: ReportedJob, { pools, involved, receivedAt }: DeliveryContext): DeliveryDecision {
  const known = involved.job?.scope ?? (reported.status === 'queued' ? undefined : involved.slot?.scope)
  if (known !== undefined) return toHappening(reported, known, receivedAt)
  const match = findPool(reported, pools)
  if (match.kind === 'pool') return toHappening(reported, poolScope(match.pool), receivedAt)
  if (match.kind === 'ambiguous-pool') {
    return outcome('ambiguous-pool', `${match.pools.map(poolScope).join(' and ')} fit the labels equally well`)
  }
  const why = describeNoPool(match, reported)
  if (reported.status !== 'in_progress' || reported.runner === null) return outcome('no-pool', why)
  return outcome('unknown-runner', `the runner ${reported.runner.name} is not ours, and ${why}`)
}

function describeNoPool({ nearest }: Extract<PoolMatch<PoolFacts>, { kind: 'no-pool' }>, job: ReportedJob): string {
  const wanted = `no pool for ${job.repository} has the labels ${job.labels.join(', ')}`
  if (nearest === null) return wanted
  return `${wanted}: the nearest is ${poolScope(nearest.pool)}, which lacks ${nearest.lacks.join(', ')}`
}

/** Times are GitHub's, so that a delivery says the same whenever it is replayed; a time in our future is not believed. */
function toHappening(reported: ReportedJob, scope: string, receivedAt: number): DeliveryDecision {
  const at = (time: number | null): number => Math.min(time ?? receivedAt, receivedAt)
  const { id, runId, runAttempt, repository, workflow, name, labels, runner } = reported
  const queuedAt = at(reported.createdAt ?? reported.startedAt)
  const facts: JobFacts = { id, runId, runAttempt, repository, workflow, name, labels, scope, queuedAt }
  if (reported.status === 'queued') return happens({ kind: 'job-queued', at: queuedAt, facts })
  if (reported.status === 'completed') {
    const conclusion = reported.conclusion ?? 'unknown'
    return happens({ kind: 'job-completed', at: at(reported.completedAt), facts, runner, conclusion })
  }
  if (runner === null) return outcome('unknown-runner', 'the job is in progress, and the delivery names no runner')
  return happens({ kind: 'job-started', at: at(reported.startedAt), facts, runner })
}

function happens(happening: Happening): DeliveryDecision {
  return { kind: 'happening', happening }
}

function outcome(kind: DeliveryOutcome, why: string | null): DeliveryDecision {
  return { kind: 'outcome', outcome: kind, why }
}
