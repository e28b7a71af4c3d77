import { toInvolvement } from '#/core/dispatch/assignment.ts'
import type { Happening, Involved } from '#/core/dispatch/assignment.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { decideDelivery, judgeUnchanged } from '#/core/webhooks/decide-delivery.ts'
import type { KnownInstallations } from '#/core/webhooks/decide-delivery.ts'
import type { DeliveryOutcome } from '#/core/webhooks/outcome.ts'
import { withoutForeignSlot } from '#/core/webhooks/own-runner.ts'
import type { PoolFacts } from '#/core/webhooks/own-runner.ts'
import { readDelivery } from '#/core/webhooks/read-delivery.ts'
import type { ReportedJob } from '#/core/webhooks/read-delivery.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { TakenDelivery } from '#/ports/store/deliveries.ts'
import { record } from '#/runtime/dispatch/record.ts'

export type DeliveryFacts = {
  readonly assignments: Pick<Assignments, 'involved' | 'commit' | 'job'>
  readonly pools: () => Observed<readonly PoolFacts[]>
  readonly installations: KnownInstallations
}

export type Applied =
  | { readonly kind: 'settled'; readonly outcome: DeliveryOutcome; readonly why: string | null }
  /** Nothing was written, and it is no fault of the delivery. */
  | { readonly kind: 'later'; readonly why: string }

/** Moves job and slot as the delivery says; the same again changes nothing. */
export async function applyDelivery(delivery: TakenDelivery, facts: DeliveryFacts): Promise<Applied> {
  const reading = readDelivery(delivery.event, parse(delivery.body))
  if (reading.kind !== 'job') {
    const why = reading.kind === 'malformed' ? reading.why : `the event ${delivery.event} is not read`
    return { kind: 'settled', outcome: 'parked', why }
  }
  const pools = facts.pools()
  if (pools.kind === 'blind') {
    return { kind: 'later', why: `the pools are not known: ${describeReason(pools.reason)}` }
  }
  return await applyJob(reading.job, delivery, facts, pools.kind === 'seen' ? pools.value : [])
}

async function applyJob(
  job: ReportedJob,
  { receivedAt, attempts }: TakenDelivery,
  { assignments, installations }: DeliveryFacts,
  pools: readonly PoolFacts[],
): Promise<Applied> {
  const ownOnly = (found: Involved): Involved => withoutForeignSlot(found, job, pools)
  // A job that waits names the runner of a former one, if it names any.
  const runner = job.status === 'in_progress' || job.status === 'completed' ? job.runner : null
  const involved = ownOnly(await assignments.involved({ job: job.id, slot: null, runner }))
  const decision = decideDelivery(job, { pools, installations, involved, receivedAt })
  if (decision.kind === 'outcome') return { kind: 'settled', outcome: decision.outcome, why: decision.why }
  const { happening } = decision
  const guarded = {
    involved: async (key: ReturnType<typeof toInvolvement>) => ownOnly(await assignments.involved(key)),
    commit: assignments.commit,
  }
  const recorded = await record(guarded, happening)
  switch (recorded.kind) {
    case 'changed':
      return { kind: 'settled', outcome: 'applied', why: null }
    case 'contended':
      return { kind: 'later', why: `other writers changed the same rows ${recorded.tries} times` }
    case 'unchanged':
      return await describeUnchanged(happening, attempts, assignments)
  }
}

async function describeUnchanged(
  happening: Happening,
  attempts: number,
  assignments: Pick<Assignments, 'job'>,
): Promise<Applied> {
  const job = await assignments.job(toInvolvement(happening).job ?? 0)
  const outcome = judgeUnchanged(happening, job)
  // A former attempt that was cut off after its write applied it.
  if (outcome === 'duplicate' && attempts > 1) return { kind: 'settled', outcome: 'applied', why: null }
  return { kind: 'settled', outcome, why: job === null ? null : `the job is ${job.state} already` }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}
