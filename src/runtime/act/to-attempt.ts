import type { Attempt } from '#/core/ledger/attempt.ts'
import type { ActCandidate } from '#/ports/act-candidate.ts'
import type { ActWarrant } from './means.ts'

export function toAttempt(
  { act: id, origin, subject, scaleSet, runners }: ActCandidate,
  { actor, epoch, run }: ActWarrant,
  { at, gates }: Pick<Attempt, 'at' | 'gates'>,
): Attempt {
  return {
    ...origin,
    at,
    act: id,
    subject,
    actor,
    gates,
    evidence: null,
    epoch,
    run,
    scaleSet,
    places: runners.length,
  }
}
