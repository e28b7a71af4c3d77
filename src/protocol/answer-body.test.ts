import { describe, expect, it } from 'vitest'
import { HOSTILE_ANSWERS } from '#test/recorder/hostile-evidence.ts'
import { readAnswer, writeAnswer } from './answer-body.ts'
import type { AnswerHead } from './answer.ts'

describe('the answer of an agent', () => {
  it('is read as it was written', () => {
    const head: AnswerHead = {
      kind: 'logs',
      logs: [{ container: 'runner', previous: false, text: '[{"a":1},'.repeat(9), cut: false }],
    }
    expect(readAnswer(Buffer.from(writeAnswer(head, Buffer.from('rest'))))).toEqual({
      kind: 'answered',
      head,
      rest: Buffer.from('rest'),
    })
  })

  it.each(['half a million counters', 'eight million levels', 'bytes that are no text'])(
    'is none where it has %s, whatever they are',
    (what) => {
      expect(readAnswer(Buffer.from(HOSTILE_ANSWERS[what]?.() ?? ''))).toBeNull()
    },
  )
})
