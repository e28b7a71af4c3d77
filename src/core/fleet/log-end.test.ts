import { describe, expect, it } from 'vitest'
import { logEnd } from './log-end.ts'

const STAMPED = '2026-11-15T20:48:05.226942832Z time=2026-11-15T20:48:05.224Z level=INFO msg="Getting next message"\n'

describe('the end of a log', () => {
  it.each([
    ['nothing at all', '', 'whole'],
    ['a line with its end', STAMPED, 'whole'],
    ['a line that is whole but for its end', STAMPED.trimEnd(), 'open'],
    ['a word in the middle of a sentence', `${STAMPED}2026-11-15T20:48:06Z Listen`, 'open'],
    ['a quote that is open', `${STAMPED}2026-11-15T20:48:06Z level=INFO msg="Getting ne`, 'cut'],
    ['a brace that is open', `${STAMPED}2026-11-15T20:48:06Z INFO Created {"version": "0.14.2", "name": `, 'cut'],
    ['a quote whose only end is escaped', `${STAMPED}2026-11-15T20:48:06Z msg="said \\"`, 'cut'],
    ['a brace within quotes', `${STAMPED}2026-11-15T20:48:06Z msg="{"`, 'open'],
    ['half a time below a whole one', `${STAMPED}2026-11-15T20:4`, 'cut'],
    ['a line without a time where no line has one', 'Listening for Jobs\nRunning jo', 'open'],
    ['an open brace under an open brace: one message of several lines', 'config {\n  inner {', 'open'],
    ['one line alone, open inside', '{"level":"info","msg":"Get', 'cut'],
  ] as const)('with %s is found', (_what, text, end) => {
    expect(logEnd(text)).toBe(end)
  })
})
