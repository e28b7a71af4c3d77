import type { Involved } from '#/core/dispatch/assignment.ts'
import { intendedJob } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { serves } from '#/core/pools/find-pool.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'

export type PoolFacts = Pick<RunnerPool, 'namespace' | 'name' | 'labels' | 'github'>

type NamedJob = { readonly id: number; readonly repository: string }

/**
 * What a delivery about this job may move. Anybody can give a runner of theirs the name and, in another organisation, the
 * id of one of ours: a slot that GitHub could not have given the job to is left out.
 */
export function withoutForeignSlot(involved: Involved, job: NamedJob, pools: readonly PoolFacts[]): Involved {
  const { slot, meantForSlot } = involved
  if (slot === null || canExecute(slot, { job, meantForSlot, pools })) return involved
  return { ...involved, slot: null, meantForSlot: null }
}

type Facts = {
  readonly job: NamedJob
  readonly meantForSlot: Involved['meantForSlot']
  readonly pools: readonly PoolFacts[]
}

function canExecute(slot: Slot, { job, meantForSlot, pools }: Facts): boolean {
  if (slot.state === 'executing' && slot.executing === job.id) return true
  if (intendedJob(slot) === job.id) return true
  // The runner was registered where its intended job is, even if that repository or the pool is not declared any more.
  const registeredFor = meantForSlot?.repository.toLowerCase()
  if (registeredFor === job.repository.toLowerCase()) return true
  const pool = pools.find((one) => poolScope(one) === slot.scope)
  if (pool !== undefined) return serves(pool, job.repository)
  return registeredFor !== undefined && owner(registeredFor) === owner(job.repository.toLowerCase())
}

function owner(repository: string): string | undefined {
  return repository.split('/')[0]
}
