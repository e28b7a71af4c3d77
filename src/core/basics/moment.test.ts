import { describe, expect, it } from 'vitest'
import { parseMoment } from './moment.ts'

const NOW = Date.UTC(2026, 5, 6, 21, 40)

describe('a moment', () => {
  it.each([
    ['2h', Date.UTC(2026, 5, 6, 19, 40)],
    ['0s', NOW],
    ['2026-06-06T21:00:00Z', Date.UTC(2026, 5, 6, 21)],
    ['2026-06-06 23:00+02:00', Date.UTC(2026, 5, 6, 21)],
    ['2026-06-06T21:00:00', null],
    ['2026-06-06', null],
    ['2026-13-06T21:00:00Z', null],
    ['yesterday', null],
    ['', null],
  ])('%j is %s', (text, at) => {
    expect(parseMoment(text, NOW)).toBe(at)
  })
})
