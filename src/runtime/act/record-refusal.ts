import type { Ending } from '#/core/ledger/attempt.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'
import type { ActCandidate } from '#/ports/act-candidate.ts'
import type { ActMeans, ActResult, ActWarrant } from './means.ts'
import { toAttempt } from './to-attempt.ts'

export type Refusal = Extract<Ending, { outcome: 'refused' }> & { readonly gates: readonly GateProof[] }

/** A row for what the gates refused before anything was begun. It needs no second read: nothing will be done. */
export async function recordRefusal(
  candidate: ActCandidate,
  { gates, ...ending }: Refusal,
  { means, warrant }: { readonly means: Pick<ActMeans, 'ledger' | 'clock'>; readonly warrant: ActWarrant },
): Promise<ActResult> {
  const attempt = toAttempt(candidate, warrant, { at: means.clock.now(), gates })
  const recorded = await means.ledger.record({ ...attempt, ...ending })
  return recorded.kind === 'fenced' ? recorded : { kind: 'ended', row: recorded.row }
}
