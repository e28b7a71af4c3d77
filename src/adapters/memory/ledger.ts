import { boundName } from '#/core/ledger/bounds.ts'
import { endedRow, isTakenBy, moveRow, planAttempt, TAKES_PLACES, toMove } from '#/core/ledger/attempt.ts'
import type { AttemptEnd, AttemptStep, NewAttempt, UnstoredRow } from '#/core/ledger/attempt.ts'
import type { UsedPlaces } from '#/core/ledger/cap.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { AttemptHandle, Begun, Fenced, Ledger, LedgerFilter, Moved } from '#/ports/store/ledger.ts'
import { asStored } from './as-stored.ts'
import type { Tables } from './tables.ts'

export function memoryLedger(tables: Tables): Ledger {
  let lastId = 0
  const insert = (row: UnstoredRow): LedgerRow => {
    lastId += 1
    const stored = asStored({ ...row, id: lastId }) as LedgerRow
    tables.ledger.push(stored)
    return stored
  }
  const move = async (handle: AttemptHandle, written: AttemptStep | AttemptEnd): Promise<Moved> =>
    fence(tables, written.epoch) ?? moveForward(tables, handle, written)
  return {
    begin: async (attempt) => fence(tables, attempt.epoch) ?? begin(tables, attempt, insert),
    record: async (attempt) => fence(tables, attempt.epoch) ?? { kind: 'recorded', row: insert(endedRow(attempt)) },
    advance: move,
    end: move,
    list: async (filter) =>
      tables.ledger
        .filter((row) => isWanted(row, filter))
        .sort((a, b) => b.at - a.at || b.id - a.id)
        .slice(0, filter.limit),
  }
}

function fence({ leaderEpoch }: Tables, epoch: number | null): Fenced | null {
  return epoch === null || epoch === leaderEpoch ? null : { kind: 'fenced', epoch: leaderEpoch }
}

function begin({ ledger }: Tables, attempt: NewAttempt, insert: (row: UnstoredRow) => LedgerRow): Begun {
  const other = ledger.find((row) => isTakenBy(attempt, row))
  if (other !== undefined) return { kind: 'taken', row: other }
  const row = insert(planAttempt(attempt, countPlaces(ledger, attempt)))
  return { kind: row.outcome === 'planned' ? 'planned' : 'refused', row }
}

function countPlaces(ledger: readonly LedgerRow[], attempt: NewAttempt): UsedPlaces {
  const [run, scaleSet] = [boundName(attempt.run), boundName(attempt.scaleSet)]
  const sum = (rows: readonly LedgerRow[]): number => rows.reduce((total, { places }) => total + places, 0)
  const own = ledger.filter((row) => row.run === run && TAKES_PLACES.includes(row.outcome))
  const others = ledger.filter((row) => row.run !== run && row.outcome === 'planned')
  return { run: sum(own), set: sum([...own, ...others].filter((row) => row.scaleSet === scaleSet)) }
}

function moveForward({ ledger }: Tables, { id, steps }: AttemptHandle, written: AttemptStep | AttemptEnd): Moved {
  const place = ledger.findIndex((row) => row.id === id)
  const row = ledger[place]
  if (row === undefined) return { kind: 'stale', row: null }
  if (row.outcome !== 'planned' || row.steps.length !== steps.length) return { kind: 'stale', row }
  const moved = asStored(moveRow(row, toMove(written))) as LedgerRow
  ledger[place] = moved
  return { kind: 'moved', row: moved }
}

function isWanted(row: LedgerRow, filter: LedgerFilter): boolean {
  const { since = -Infinity, until = Infinity, after } = filter
  if (row.at < since || row.at >= until) return false
  if (after !== undefined && (row.at > after.at || (row.at === after.at && row.id >= after.id))) return false
  const asked: readonly (readonly [string | undefined, string])[] = [
    [filter.act, row.act],
    [filter.actor, row.actor],
    [filter.outcome, row.outcome],
    [filter.name, row.subject.name],
  ]
  return asked.every(([wanted, is]) => wanted === undefined || boundName(wanted) === is)
}
