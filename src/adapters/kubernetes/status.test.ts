import { describe, expect, it } from 'vitest'
import { parseStatus } from './status.ts'

function readMessage(message: string): string | undefined {
  return parseStatus({ kind: 'Status', code: 400, message })?.message
}

describe('a Status', () => {
  it('is read with what it is about and its causes', () => {
    const details = { name: 'p', kind: 'pods/log', causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }, 7] }
    expect(parseStatus({ kind: 'Status', code: 422, reason: 'Invalid', message: 'no', details })).toEqual({
      code: 422,
      reason: 'Invalid',
      message: 'no',
      about: { kind: 'pods/log', name: 'p' },
      causes: [
        { reason: 'FieldValueInvalid', field: 'metadata.uid' },
        { reason: '', field: '' },
      ],
    })
  })

  it('is none in anything else', () => {
    for (const value of [null, [], {}, { kind: 'Pod' }, { kind: 'Status' }, { kind: 'Status', code: '400' }]) {
      expect(parseStatus(value)).toBeNull()
    }
  })

  it('has a message of one short line without what was sent', () => {
    expect(readMessage('a\r\n\tb\u0000c')).toBe('a b c')
    expect(readMessage('bad header: Bearer abc.def and eyJhbGciOi.eyJzdWIi.c2ln')).toBe(
      'bad header: ‹redacted› and ‹redacted›',
    )
    expect(readMessage('x'.repeat(5000))?.length).toBeLessThan(500)
  })
})
