import type { PlannedRemoval } from '#/core/interlock/plan-removals.ts'
import type { Proposal } from '#/core/interlock/policy.ts'
import type { GateProof, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { ActResult } from '#/runtime/act/means.ts'
import type { Freed } from './await-listener.ts'
import type { Order } from './to-candidate.ts'

/** docs/contracts/acting.md: after `--apply`. */
export type AppliedDecision = 'removed' | 'refused' | 'blind' | 'failed' | 'vanished'

/** What came of one candidate. */
export type Applied = {
  readonly order: Order
  /** Null for what an earlier run left under way. */
  readonly proposal: Proposal | null
  readonly decision: AppliedDecision
  readonly decidedBy: string | null
  readonly why: string
  readonly gates: readonly GateProof[]
  /** The row of the ledger; null if there is none. */
  readonly row: LedgerRow | null
  /** Whether a new listener proved that the set is free; null if nobody waited for it. */
  readonly freed: Freed | null
}

export type Asked = { readonly order: Order; readonly planned: PlannedRemoval | null }

export function toApplied({ order, planned }: Asked, result: ActResult): Applied {
  const base = { order, proposal: planned?.proposal ?? null, freed: null }
  switch (result.kind) {
    case 'fenced':
      return { ...base, decision: 'refused', decidedBy: null, why: 'another leader acts', gates: [], row: null }
    case 'taken':
      return { ...base, ...toTaken(result.row) }
    case 'ended':
      return { ...base, ...toEnded(result.row) }
  }
}

type End = Pick<Applied, 'decision' | 'decidedBy' | 'why' | 'gates' | 'row'>

/** It is theirs: it was not refused by a gate of ours, and we did nothing. */
function toTaken(row: LedgerRow | null): End {
  if (row === null) return { decision: 'refused', decidedBy: null, why: 'another run has it', gates: [], row }
  const { id, actor, outcome, gates, steps } = row
  if (outcome === 'done')
    return { decision: 'vanished', decidedBy: null, why: `${actor} removed it (ledger ${id})`, gates, row }
  const why =
    outcome === 'planned'
      ? `${actor} has it under way, at the step ${steps.at(-1)?.step ?? 'planned'} (ledger ${id}); if that run has ended, try again in five minutes`
      : `${actor} took the attempt over and ended it: ${outcome} (ledger ${id})`
  return { decision: 'refused', decidedBy: null, why, gates, row }
}

const DECISIONS = {
  planned: 'failed',
  done: 'removed',
  failed: 'failed',
  vanished: 'vanished',
} as const satisfies Readonly<Partial<Record<LedgerRow['outcome'], AppliedDecision>>>

function toEnded(row: LedgerRow): End {
  const { outcome, decidedBy, gates } = row
  const why = row.why ?? ''
  if (outcome !== 'refused') return { decision: DECISIONS[outcome], decidedBy: null, why, gates, row }
  const deciding = gates.find(({ gate }) => gate === decidedBy)
  return { decision: deciding?.holds === null ? 'blind' : 'refused', decidedBy, why, gates, row }
}
