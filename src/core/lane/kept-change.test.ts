import { describe, expect, it } from 'vitest'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { describeChange } from './cap.ts'
import type { Cap } from './cap.ts'
import { CHANGE_PROOF, findKeptChange } from './kept-change.ts'

const upTo = (max: number | null): Cap => ({ min: null, max })

function row(command: string, before: number | null, after: number | null, outcome = 'done'): LedgerRow {
  const why = describeChange({ before: upTo(before), after: upTo(after) })
  return { command, outcome, gates: [{ gate: CHANGE_PROOF, holds: true, why, ageSeconds: 0 }] } as unknown as LedgerRow
}

const cap = (before: number | null, after: number, outcome?: string) => row('lane cap', before, after, outcome)

/** The latest first, as the ledger lists them. */
const CASES: readonly (readonly [string, readonly LedgerRow[], readonly [number | null, number] | null])[] = [
  ['nothing', [], null],
  ['one cap', [cap(10, 5)], [10, 5]],
  ['one cap of a set without a maximum', [cap(null, 5)], [null, 5]],
  ['a cap after a cap', [cap(5, 3), cap(10, 5)], [10, 3]],
  ['a cap after somebody else set 20', [cap(20, 7), cap(10, 5)], [20, 7]],
  ['two caps after somebody else set 20', [cap(7, 6), cap(20, 7), cap(10, 5)], [20, 6]],
  ['a cap of a value that an older one had', [cap(20, 7), cap(10, 5), cap(30, 20)], [20, 7]],
  ['a cap that failed between two', [cap(5, 7), cap(5, 3, 'failed'), cap(10, 5)], [10, 7]],
  ['a cap that failed and happened all the same', [cap(3, 7), cap(5, 3, 'failed'), cap(10, 5)], [10, 7]],
  ['a cap that was refused', [cap(5, 3, 'refused'), cap(10, 5)], [10, 5]],
  ['a cap that was taken back', [row('lane cap restore', 5, 10), cap(10, 5)], null],
]

describe('The change that the ledger leads back from', () => {
  it.each(CASES)('%s', (_, rows, expected) => {
    const kept = expected === null ? null : { before: upTo(expected[0]), after: upTo(expected[1]) }
    expect(findKeptChange(rows, 'cap')).toEqual(kept)
  })
})
