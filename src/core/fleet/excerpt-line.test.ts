import { describe, expect, it } from 'vitest'
import { readExcerptLine } from './excerpt-line.ts'

const at = Date.parse('2026-01-05T07:37:56Z')

describe('the time of a line', () => {
  it.each([
    ["kubectl's", '2026-01-05T07:37:56Z Getting next message'],
    ["zap's", '2026-01-05T07:37:56Z\tINFO\tEphemeralRunner\tmessage\t{}'],
    ["slog's", 'time=2026-01-05T07:37:56.000Z level=INFO msg="Getting next message"'],
    ["slog's as JSON", '{"time":"2026-01-05T07:37:56Z","level":"INFO","msg":"x"}'],
    ["zap's as JSON", '{"severity":"info","ts":"2026-01-05T07:37:56Z","message":"x"}'],
    ["Go's log", '2026/01/05 07:37:56 Application returned an error: x'],
  ])('is %s', (_whose, line) => {
    expect(readExcerptLine(line).at).toBe(at)
  })

  it('is null if the line has none', () => {
    expect(readExcerptLine('Getting next message').at).toBeNull()
  })

  it('is not taken from the middle of a message', () => {
    expect(readExcerptLine('the token ends 2026-01-05T07:37:56Z').at).toBeNull()
  })
})
