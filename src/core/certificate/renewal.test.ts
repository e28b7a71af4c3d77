import { describe, expect, it } from 'vitest'
import { AUTHORITY_DAYS, decideRenewal, SERVER_DAYS, validFor } from './renewal.ts'
import type { HeldPair } from './renewal.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 18)
const NAMES = ['a', 'b']

function held(): { authority: NonNullable<HeldPair['authority']>; server: NonNullable<HeldPair['server']> } {
  return {
    authority: { isUsable: true, ...validFor(AUTHORITY_DAYS, NOW) },
    server: { isUsable: true, isIssued: true, names: NAMES, ...validFor(SERVER_DAYS, NOW) },
  }
}

describe('a certificate that the server made', () => {
  it.each([
    ['at once', 0, 'none'],
    ['after 244 days', 244, 'none'],
    ['after 246 days', 246, 'server'],
    ['after its end', 400, 'server'],
    ['a year and a month before the end of the CA', AUTHORITY_DAYS - SERVER_DAYS - 29, 'authority'],
    ['after the end of the CA', 4000, 'authority'],
    ['with a clock that was set back by two hours', -2 / 24, 'none'],
    ['with a clock that was a year ahead when it was made', -365, 'authority'],
  ])('%s', (_, days, expected) => {
    expect(decideRenewal(held(), NAMES, NOW + days * DAY_MS)).toBe(expected)
  })

  it('is made anew where a part of it is missing, broken or of another CA, and for other names', () => {
    const { authority, server } = held()
    expect(decideRenewal({ authority: null, server }, NAMES, NOW)).toBe('authority')
    expect(decideRenewal({ authority: { ...authority, isUsable: false }, server }, NAMES, NOW)).toBe('authority')
    expect(decideRenewal({ authority, server: null }, NAMES, NOW)).toBe('server')
    expect(decideRenewal({ authority, server: { ...server, isUsable: false } }, NAMES, NOW)).toBe('server')
    expect(decideRenewal({ authority, server: { ...server, isIssued: false } }, NAMES, NOW)).toBe('server')
    expect(decideRenewal({ authority, server }, ['a'], NOW)).toBe('server')
    expect(decideRenewal({ authority, server }, ['b', 'a', 'a'], NOW)).toBe('none')
  })
})
