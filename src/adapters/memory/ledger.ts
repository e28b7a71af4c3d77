import { endedRow } from '#/core/ledger/attempt.ts'
import type { AttemptEnd, AttemptStep, NewAttempt, UnstoredRow } from '#/core/ledger/attempt.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { AttemptHandle, Begun, Fenced, Ledger, Moved } from '#/ports/store/ledger.ts'
import { moveOn, planOn, selectRows } from '#/ports/store/ledger-rows.ts'
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
    list: async (filter) => selectRows(tables.ledger, filter),
  }
}

function fence({ leaderEpoch }: Tables, epoch: number | null): Fenced | null {
  return epoch === null || epoch === leaderEpoch ? null : { kind: 'fenced', epoch: leaderEpoch }
}

function begin({ ledger }: Tables, attempt: NewAttempt, insert: (row: UnstoredRow) => LedgerRow): Begun {
  const planned = planOn(ledger, attempt)
  if (planned.kind === 'taken') return planned
  const row = insert(planned.row)
  return { kind: row.outcome === 'planned' ? 'planned' : 'refused', row }
}

function moveForward({ ledger }: Tables, handle: AttemptHandle, written: AttemptStep | AttemptEnd): Moved {
  const place = ledger.findIndex((row) => row.id === handle.id)
  const moved = moveOn(ledger[place], handle, written)
  if (moved.kind === 'stale') return moved
  const row = asStored(moved.row) as LedgerRow
  ledger[place] = row
  return { kind: 'moved', row }
}
