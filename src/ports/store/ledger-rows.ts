import { boundName } from '#/core/ledger/bounds.ts'
import { isTakenBy, moveRow, planAttempt, TAKES_PLACES, toMove } from '#/core/ledger/attempt.ts'
import type { AttemptEnd, AttemptStep, NewAttempt, UnstoredRow } from '#/core/ledger/attempt.ts'
import type { UsedPlaces } from '#/core/ledger/cap.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { AttemptHandle, LedgerFilter } from './ledger.ts'

/** What the writes of a `Ledger` do, for those that have every row at hand. */

export type Planned =
  | { readonly kind: 'taken'; readonly row: LedgerRow }
  | { readonly kind: 'insert'; readonly row: UnstoredRow }

export function planOn(rows: readonly LedgerRow[], attempt: NewAttempt): Planned {
  const other = rows.find((row) => isTakenBy(attempt, row))
  if (other !== undefined) return { kind: 'taken', row: other }
  return { kind: 'insert', row: planAttempt(attempt, countPlaces(rows, attempt)) }
}

function countPlaces(rows: readonly LedgerRow[], attempt: NewAttempt): UsedPlaces {
  const [run, scaleSet] = [boundName(attempt.run), boundName(attempt.scaleSet)]
  const sum = (some: readonly LedgerRow[]): number => some.reduce((total, { places }) => total + places, 0)
  const own = rows.filter((row) => row.run === run && TAKES_PLACES.includes(row.outcome))
  const others = rows.filter((row) => row.run !== run && row.outcome === 'planned')
  return { run: sum(own), set: sum([...own, ...others].filter((row) => row.scaleSet === scaleSet)) }
}

export type MovedOn =
  | { readonly kind: 'stale'; readonly row: LedgerRow | null }
  | { readonly kind: 'move'; readonly row: LedgerRow }

/** `row`: the one with the id of the handle, if there is one. */
export function moveOn(
  row: LedgerRow | undefined,
  { steps }: AttemptHandle,
  written: AttemptStep | AttemptEnd,
): MovedOn {
  if (row === undefined) return { kind: 'stale', row: null }
  if (row.outcome !== 'planned' || row.steps.length !== steps.length) return { kind: 'stale', row }
  return { kind: 'move', row: moveRow(row, toMove(written)) }
}

/** In the order of the list. */
export function selectRows(rows: readonly LedgerRow[], filter: LedgerFilter): readonly LedgerRow[] {
  return rows
    .filter((row) => isWanted(row, filter))
    .sort((a, b) => b.at - a.at || b.id - a.id)
    .slice(0, filter.limit)
}

function isWanted(row: LedgerRow, filter: LedgerFilter): boolean {
  const { since = -Infinity, until = Infinity, after } = filter
  if (row.at < since || row.at >= until) return false
  if (after !== undefined && (row.at > after.at || (row.at === after.at && row.id >= after.id))) return false
  if (filter.id !== undefined && row.id !== filter.id) return false
  const asked: readonly (readonly [string | undefined, string])[] = [
    [filter.act, row.act],
    [filter.actor, row.actor],
    [filter.outcome, row.outcome],
    [filter.name, row.subject.name],
  ]
  return asked.every(([wanted, is]) => wanted === undefined || boundName(wanted) === is)
}
