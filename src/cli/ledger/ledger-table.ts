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

/** With times, origins, how far each got, and the proofs in words. */
export function wideLedger(rows: readonly LedgerDocument[]): Table {
  return {
    columns: ['at', 'outcome', 'act', 'subject', 'for', 'by', 'gate', 'last step', 'evidence', 'why', 'proofs'],
    rows: rows.map((row) =>
      [
        row.at,
        row.outcome,
        row.act,
        describeSubject(row.subject),
        describeOrigin(row),
        row.actor,
        row.decidedBy ?? '-',
        row.steps.at(-1)?.step ?? '-',
        row.evidence ?? '-',
        row.why ?? '-',
        row.gates.length === 0 ? '-' : row.gates.map(describeProof).join('; '),
      ].map(printable),
    ),
  }
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
