import { describe, expect, it } from 'vitest'
import { endedRow, planAttempt } from './attempt.ts'
import { toLedgerDocument } from './ledger-document.ts'
import { readLedgerDocument } from './read-ledger-document.ts'
import { newAttempt, refusedAttempt, runnerNamed } from '#test/contracts/ledger-builders.ts'

const planned = { ...planAttempt(newAttempt(), { run: 0, set: 0 }), id: 7 }
const refused = { ...endedRow(refusedAttempt({ subject: { ...runnerNamed('b', null), namespace: null } })), id: 8 }
const { policy: _policy, ...unowned } = planned as typeof planned & { policy: string }

describe('a row of the ledger as a document', () => {
  it.each([planned, refused, { ...unowned, loop: 'stale-claims' }, { ...unowned, command: 'lane cap' }])(
    'is read back as it was: %#',
    (row) => {
      expect(readLedgerDocument(JSON.parse(JSON.stringify(toLedgerDocument(row))))).toEqual(row)
    },
  )

  it('is no row if any field is missing or of another type', () => {
    const document = toLedgerDocument(planned)
    for (const key of Object.keys(document)) {
      expect([key, readLedgerDocument({ ...document, [key]: { other: true } })]).toEqual([key, null])
      const { [key as keyof typeof document]: _left, ...rest } = document
      expect([key, readLedgerDocument(rest)]).toEqual([key, null])
    }
    for (const wrong of [null, 'x', { ...document, gates: [{}] }, { ...document, steps: [null] }]) {
      expect(readLedgerDocument(wrong)).toBeNull()
    }
  })
})
