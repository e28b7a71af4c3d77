import { describe, expect, it } from 'vitest'
import { toDeath } from '#/core/recorder/death.ts'
import type { DeathRow } from '#/core/recorder/death.ts'
import { sourceLines } from './from-store.ts'

const ROW: DeathRow = {
  uid: 'u-1',
  namespace: 'arc',
  pod: 'runner-1',
  node: 'n1',
  pool: null,
  runner: null,
  repository: null,
  job: null,
  diedAt: 0,
  recordedAt: 0,
  missed: false,
  verdict: null,
}
const JUDGED = { cause: 'oom-container', kind: 'death', confidence: 0.9, document: { sentence: 'The kernel did it.' } }
const printedLines = (row: DeathRow) =>
  sourceLines({ death: toDeath(row), others: 0, run: null, successor: null, judgement: null }, true).join('\n')

describe('the notices for an answer from the store', () => {
  it('say of a death that is not judged yet what it waits for and since when, however long that takes', () => {
    const awaited = { what: 'the journal of node n1', since: Date.UTC(2026, 10, 18, 4) }
    const waiting = sourceLines(
      { death: toDeath(ROW, awaited), others: 0, run: null, successor: null, judgement: null },
      true,
    ).join('\n')
    expect(waiting).toContain('not judged yet: waiting for the journal of node n1, since 2026-11-18T04:00:00.000Z.')
    expect(printedLines(ROW)).toContain('not judged yet; recorded 1970-01-01T00:00:00.000Z.')
    expect(printedLines({ ...ROW, verdict: JUDGED })).not.toContain('not judged yet')
  })
})
