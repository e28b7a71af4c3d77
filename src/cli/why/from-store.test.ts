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
  sourceLines({ death: toDeath(row), others: 0, run: null, judgement: null }, true).join('\n')

describe('the notices for an answer from the store', () => {
  it('say that evidence of a new death is still being collected', () => {
    expect(printedLines(ROW)).toContain('still being collected')
    expect(printedLines({ ...ROW, verdict: JUDGED })).not.toContain('still being collected')
  })
})
