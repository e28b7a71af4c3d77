import { clip, shortAge } from '#/cli/output/cells.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Table } from '#/cli/output/table.ts'
import type { LedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'

/** The widths of a row add up to 119 columns with the gaps between them. */
const WIDTHS = { age: 5, outcome: 8, act: 23, subject: 29, by: 17, gate: 22 } as const

/** One line per attempt on a terminal of 120 columns. */
export function narrowLedger(rows: readonly LedgerDocument[], now: number): Table {
  return {
    columns: Object.keys(WIDTHS),
    rows: rows.map((row) => [
      shortAge(now - Date.parse(row.at)),
      printable(row.outcome),
      clip(printable(row.act), WIDTHS.act),
      clip(printable(row.subject.name), WIDTHS.subject),
      clip(printable(row.actor), WIDTHS.by),
      clip(printable(row.decidedBy ?? '-'), WIDTHS.gate),
    ]),
  }
}

/** A block per attempt: who, for what, what decided, then one proof per line. A cell with eleven proofs cannot be read. */
export function describeLedger(rows: readonly LedgerDocument[]): string {
  return rows.map((row) => describeRow(row).map(printable).join('\n')).join('\n\n')
}

function describeRow(row: LedgerDocument): readonly string[] {
  const { id, at, outcome, act, actor, decidedBy, why, run, evidence } = row
  const step = row.steps.at(-1)?.step
  return [
    `${id}  ${outcome}  ${act}  ${describeSubject(row.subject)}${describePlaces(row)}`,
    `  ${at} by ${actor}, ${describeOrigin(row)}, run ${run ?? '-'}`,
    ...(decidedBy === null ? [] : [`  decided by ${decidedBy}`]),
    ...(why === null ? [] : [`  why: ${why}`]),
    ...(outcome === 'planned' || outcome === 'failed' ? [`  last step: ${step ?? '-'}`] : []),
    ...(evidence === null ? [] : [`  evidence: ${evidence}`]),
    ...row.gates.map((proof) => `  ${describeProof(proof)}`),
  ]
}

/** A wedged set is one attempt on all its runners. */
function describePlaces({ act, places }: LedgerDocument): string {
  return act === 'scale-ephemeral-runner-set' ? `, runners: ${places}` : ''
}

function describeSubject({ kind, namespace, name }: LedgerDocument['subject']): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

function describeOrigin({ policy, loop, command }: LedgerDocument): string {
  if (policy !== undefined) return `policy ${policy}`
  return loop === undefined ? `command ${command ?? ''}` : `loop ${loop}`
}

/** As `reap` prints it: holds, refuses, blind. */
function describeProof({ gate, holds, why, ageSeconds }: GateProof): string {
  const mark = holds === null ? '?' : holds ? '✓' : '✗'
  return `${mark} ${gate}: ${why} (${Math.round(ageSeconds)}s)`
}
