import type { Happening } from '#/core/dispatch/assignment.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import type { GateProof, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { concludeDeregistration } from '#/runtime/act/deregister-runner.ts'
import { registrationFromPlace } from './ask-github.ts'
import type { RecoveryMeans } from './means.ts'

const GATE = 'generation'

/** The generation on which the decision rests: a change of the job since then makes it void. */
export function generationProof(happening: Happening): readonly GateProof[] {
  if (happening.kind !== 'job-returned') return []
  const { job, slot } = happening
  return [{ gate: GATE, holds: true, why: `generation ${job.generation} of the job, pod ${slot}`, ageSeconds: 0 }]
}

type Means = Pick<RecoveryMeans, 'assignments' | 'github'> & { readonly signal: AbortSignal }

/** How an attempt ended that a crash left: what it wrote is in the history of the job, or was not written. */
export async function concludeLeft(left: LedgerRow, { assignments, github, signal }: Means): Promise<Ending> {
  if (left.act === 'deregister-runner') {
    const at = registrationFromPlace(left.subject.namespace ?? '')
    return await concludeDeregistration(at, left.subject.name, { runners: github.runners, signal })
  }
  return (await wasWritten(left, assignments))
    ? { outcome: 'done', decidedBy: null, why: 'its run ended, and the job shows that it was done' }
    : { outcome: 'failed', decidedBy: null, why: 'its run ended before anything was changed' }
}

async function wasWritten({ act, subject, gates }: LedgerRow, assignments: Assignments): Promise<boolean> {
  const id = Number(subject.name)
  if (act === 'close-job') return (await assignments.job(id))?.state === 'finished'
  const proof = gates.find(({ gate }) => gate === GATE)?.why
  const generation = Number(/^generation (\d+) /.exec(proof ?? '')?.[1])
  const history = await assignments.history(id)
  return history.some((row) => row.event.kind === 'returned' && row.generation === generation + 1)
}
