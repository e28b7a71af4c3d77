import type { LedgerAct, LedgerOutcome } from './acts.ts'
import type { GateProof, LedgerRow } from './ledger-row.ts'

/** A row as docs/contracts/acting.md has it: one of policy, loop and command, and times as RFC 3339. */
export type LedgerDocument = {
  readonly id: number
  readonly at: string
  readonly act: LedgerAct
  readonly subject: {
    readonly kind: string
    readonly namespace?: string | undefined
    readonly name: string
    readonly uid: string | null
  }
  readonly policy?: string | undefined
  readonly loop?: string | undefined
  readonly command?: string | undefined
  readonly actor: string
  readonly outcome: LedgerOutcome
  readonly decidedBy: string | null
  readonly gates: readonly GateProof[]
  readonly evidence: string | null
  readonly epoch: number | null
  readonly why: string | null
  readonly endedAt: string | null
  readonly run: string
  readonly scaleSet: string | null
  readonly places: number
  readonly steps: readonly {
    readonly step: string
    readonly at: string
    readonly actor: string
    readonly epoch: number | null
  }[]
}

/** In the order of the contract. */
export function toLedgerDocument(row: LedgerRow): LedgerDocument {
  const { id, act, actor, outcome, decidedBy, gates, evidence, epoch, why, run, scaleSet, places } = row
  const { kind, namespace, name, uid } = row.subject
  return {
    id,
    at: toTime(row.at),
    act,
    subject: { kind, ...(namespace === null ? {} : { namespace }), name, uid },
    ...('policy' in row && { policy: row.policy }),
    ...('loop' in row && { loop: row.loop }),
    ...('command' in row && { command: row.command }),
    actor,
    outcome,
    decidedBy,
    gates,
    evidence,
    epoch,
    why,
    endedAt: row.endedAt === null ? null : toTime(row.endedAt),
    run,
    scaleSet,
    places,
    steps: row.steps.map(({ step, at, ...by }) => Object.assign({ step, at: toTime(at) }, by)),
  }
}

function toTime(at: number): string {
  return new Date(at).toISOString()
}
