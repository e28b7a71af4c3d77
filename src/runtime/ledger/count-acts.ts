import { ENDS, LEDGER_ACTS } from '#/core/ledger/acts.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'

/** The same ledger; each attempt is counted where it ends. */
export function countActs(ledger: Ledger, metrics: Metrics): Ledger {
  const acts = metrics.counter('signalbox_acts_total', 'Attempts at a destructive act that ended, by act and outcome.')
  for (const act of LEDGER_ACTS) for (const outcome of ENDS) acts.add(0, { act, outcome })
  const counted = <A extends { readonly kind: string }>(answer: A & { readonly row?: LedgerRow | null }): A => {
    const { kind, row } = answer
    const isWritten = kind === 'refused' || kind === 'moved' || kind === 'recorded'
    if (isWritten && row && row.outcome !== 'planned') acts.add(1, { act: row.act, outcome: row.outcome })
    return answer
  }
  return {
    begin: async (attempt) => counted(await ledger.begin(attempt)),
    advance: async (attempt, step) => await ledger.advance(attempt, step),
    end: async (attempt, end) => counted(await ledger.end(attempt, end)),
    record: async (attempt) => counted(await ledger.record(attempt)),
    list: async (filter) => await ledger.list(filter),
  }
}
