import type { Happening } from '#/core/dispatch/assignment.ts'
import { GENERATION_GATE, readGeneration } from '#/core/dispatch/explain-history.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import type { GateProof, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { concludeDeregistration } from '#/runtime/act/deregister-runner.ts'
import { registrationFromPlace } from './ask-github.ts'
import type { RecoveryMeans } from './means.ts'

/** The generation on which the decision rests: a change of the job since then makes it void. */
export function generationProof(happening: Happening): readonly GateProof[] {
  const on = (generation: number, what: string): readonly GateProof[] => [
    { gate: GENERATION_GATE, holds: true, why: `generation ${generation} of the job, ${what}`, ageSeconds: 0 },
  ]
  if (happening.kind === 'job-retried') return on(happening.job.generation, 'not due')
  return happening.kind === 'job-returned' ? on(happening.job.generation, `pod ${happening.slot}`) : []
}

type ReadJobs = Pick<Assignments, 'job' | 'history'>
type Means = Pick<RecoveryMeans, 'assignments' | 'github'> & { readonly signal: AbortSignal }

/** How an attempt ended that a crash left: what it wrote is in the history of the job, or was not written. */
export async function concludeLeft(left: LedgerRow, { assignments, github, signal }: Means): Promise<Ending> {
  if (left.act === 'deregister-runner') {
    const at = registrationFromPlace(left.subject.namespace ?? '')
    return await concludeDeregistration(at, left.subject.name, { runners: github.runners, signal })
  }
  return await concludeJob(left, assignments)
}

/** The same for an act on a job. */
export async function concludeJob(left: LedgerRow, assignments: ReadJobs): Promise<Ending> {
  return (await wasWritten(left, assignments))
    ? { outcome: 'done', decidedBy: null, why: 'its run ended, and the job shows that it was done' }
    : { outcome: 'failed', decidedBy: null, why: 'its run ended before anything was changed' }
}

async function wasWritten(left: LedgerRow, assignments: ReadJobs): Promise<boolean> {
  const { act, subject } = left
  const id = Number(subject.name)
  if (act === 'close-job') return (await assignments.job(id))?.state === 'finished'
  const generation = readGeneration(left)
  if (generation === null) return false
  const history = await assignments.history(id)
  const written = history.find((row) => row.generation === generation + 1)
  return written?.event.kind === 'returned' || written?.event.kind === 'retried'
}
