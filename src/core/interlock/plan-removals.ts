import { seen } from '#/core/basics/observed.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { CandidateSnapshot, Room } from './candidate-snapshot.ts'
import { checkGates } from './check-gates.ts'
import type { GateOutcome } from './check-gates.ts'
import { decide } from './decide.ts'
import type { Decided } from './decide.ts'
import type { Gate } from './gate.ts'
import type { Proposal } from './policy.ts'
import { candidateReader } from './read-candidate.ts'
import { readAt } from './reading.ts'

/** How many runners may go: in one run, and of one set. */
export type Cap = { readonly run: number; readonly set: number }

export type PlannedRemoval = Decided & { readonly proposal: Proposal }

export type PlanTerms = {
  readonly gates: readonly Gate[]
  readonly cap: Cap
  readonly minAgeMs: number
}

/** What would be removed, and what refuses each of the others. Candidates use up the cap in their order. */
export function planRemovals(
  view: RuntimeView,
  proposals: readonly Proposal[],
  { gates, cap, minAgeMs }: PlanTerms,
): readonly PlannedRemoval[] {
  const read = candidateReader(view)
  const steps = new Set(gates.filter(({ isStep }) => isStep === true).map(({ id }) => id))
  const taken = new Places(cap)
  return proposals.map((proposal) => {
    const room = readAt(view.fleet.now, seen(taken.roomFor(proposal)))
    const terms = { github: proposal.policy.github, minAgeMs, freshMs: view.fleet.thresholds.githubFileAge }
    const candidates = proposal.runners.map((state): CandidateSnapshot =>
      Object.assign({}, read(state, terms), { room }),
    )
    const outcomes: readonly GateOutcome[] = checkGates(candidates, gates, proposal.act)
    const decided = decide(outcomes, steps)
    if (decided.decision === 'would-remove') taken.take(proposal)
    return { ...decided, proposal }
  })
}

/** The places of the cap. A runner under two policies takes one place. */
class Places {
  readonly #cap: Cap
  readonly #bySet = new Map<string, Set<string>>()

  constructor(cap: Cap) {
    this.#cap = cap
  }

  roomFor({ setKey, runners }: Proposal): Room {
    const ofSet = this.#bySet.get(setKey) ?? new Set()
    const used = [...this.#bySet.values()].reduce((sum, own) => sum + own.size, 0)
    return {
      needs: runners.filter(({ runner }) => !ofSet.has(runner.name)).length,
      run: { used, most: this.#cap.run },
      set: { used: ofSet.size, most: this.#cap.set },
    }
  }

  take({ setKey, runners }: Proposal): void {
    const names = runners.map(({ runner }) => runner.name)
    this.#bySet.set(setKey, new Set([...(this.#bySet.get(setKey) ?? []), ...names]))
  }
}
