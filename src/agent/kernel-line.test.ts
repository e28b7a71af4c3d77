import { describe, expect, it } from 'vitest'
import { parseJsonLine } from '#/adapters/journal/parse-json-line.ts'
import { asJournalLine, readKernelRecord } from './kernel-line.ts'

describe('a record of /dev/kmsg', () => {
  it.each([
    ['6,339,5140900,-;NET: Registered', { priority: 6, monotonicUs: 5_140_900, message: 'NET: Registered' }],
    ['30,7,12,c,caller=T1;from a daemon', { priority: 6, monotonicUs: 12, message: 'from a daemon' }],
    ['3,1,2,-;a \\x5cslash and \\x0a', { priority: 3, monotonicUs: 2, message: 'a \\slash and \n' }],
    [' SUBSYSTEM=pci', null],
    ['', null],
  ])('%j is read', (record, line) => {
    expect(readKernelRecord(record)).toEqual(line)
  })

  it('is a line of a journal by the kernel, at the time by the wall clock', () => {
    const line = { priority: 3, monotonicUs: 2_500_000, message: 'Out of memory' }
    const printed = asJournalLine(line, { startedUs: 1_000_000_000_000, bootId: 'ab'.repeat(16) })
    expect(parseJsonLine(printed.trimEnd())).toMatchObject({
      kind: 'line',
      line: {
        at: 1_000_002_500,
        bootId: 'ab'.repeat(16),
        identifier: 'kernel',
        transport: 'kernel',
        priority: 3,
        message: 'Out of memory',
      },
    })
  })
})
