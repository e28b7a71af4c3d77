import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { JobEvent, JobState, ReturnReason } from './job.ts'
import type { Runner } from './runner.ts'

/** One row of the history of a job, as it is stored. */
export type HistoryRow = {
  readonly generation: number
  readonly event: JobEvent
  readonly from: JobState | null
  readonly to: JobState
  readonly at: number
}

/** What happened to a job, and which code path did it. */
export type HistoryEntry = {
  readonly generation: number
  readonly at: number
  readonly event: JobEvent['kind']
  readonly from: JobState | null
  readonly to: JobState
  /** `github`, `dispatch`, `signalbox/LOOP`, or the person. */
  readonly by: string
  readonly reason: ReturnReason | null
  readonly slot: string | null
  readonly runner: Runner | null
  readonly conclusion: string | null
  /** The row of the ledger about it. */
  readonly ledger: number | null
}

/** Names the gate of a ledger row that says on which generation of the job it rests. */
export const GENERATION_GATE = 'generation'

/** In a ledger row; the history has the change as the generation after it. */
export function readGeneration({ gates }: Pick<LedgerRow, 'gates'>): number | null {
  const proof = gates.find(({ gate }) => gate === GENERATION_GATE)?.why ?? ''
  const found = /^generation (\d+) /.exec(proof)?.[1]
  return found === undefined ? null : Number(found)
}

/**
 * The history with the code path of each entry. Who acted by an act of the ledger is in its row, which names the generation
 * that it changed. Without a row it is what the event itself says: GitHub reported it, or dispatch did it.
 */
export function explainHistory(history: readonly HistoryRow[], ledger: readonly LedgerRow[]): readonly HistoryEntry[] {
  const done = ledger.filter(({ outcome }) => outcome === 'done')
  return history.map(({ generation, event, from, to, at }) => {
    const row = done.find((one) => isAbout(one, generation, event)) ?? null
    return {
      generation,
      at,
      event: event.kind,
      from,
      to,
      by: row?.actor ?? usualPath(event),
      reason: event.kind === 'returned' ? event.reason : null,
      slot: 'slot' in event ? event.slot : null,
      runner: 'runner' in event ? event.runner : null,
      conclusion: 'conclusion' in event ? event.conclusion : null,
      ledger: row?.id ?? null,
    }
  })
}

function isAbout(row: LedgerRow, generation: number, event: JobEvent): boolean {
  // A finished job changes no more, so this act can only be about its end.
  if (row.act === 'close-job') return event.kind === 'completed'
  const isReturn = event.kind === 'returned' || event.kind === 'retried'
  return row.act === 'return-job' && isReturn && readGeneration(row) === generation - 1
}

function usualPath(event: JobEvent): string {
  switch (event.kind) {
    case 'announced':
    case 'started':
    case 'completed':
      return 'github'
    case 'retargeted':
      return 'github'
    case 'returned':
      // Another job started on its runner, as GitHub reported.
      return event.reason === 'displaced' ? 'github' : 'dispatch'
    case 'claimed':
    case 'minted':
    case 'moved':
      return 'dispatch'
    case 'retried':
      return 'unknown'
  }
}
