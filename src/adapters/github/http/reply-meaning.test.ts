import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST_WAIT_MS, readMeaning } from './reply-meaning.ts'

const NOW = Date.UTC(2026, 10, 15, 12)
const RESET = String(NOW / 1000 + 600)
const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
const limited = (limit: string, afterMs: number) => ({ kind: 'limited', limit, until: NOW + afterMs })

type Row = readonly [string, number, Record<string, string>, string | null, unknown]

const TABLE: readonly Row[] = [
  ['success', 201, {}, null, { kind: 'ok' }],
  ['success of an exhausted budget', 200, { 'x-ratelimit-remaining': '0' }, null, { kind: 'ok' }],
  ['what we have', 304, {}, null, { kind: 'not-modified' }],
  ['a renamed repository', 301, { location: '/x' }, 'Moved Permanently', { kind: 'redirect', to: '/x' }],
  ['a redirect without a target', 302, {}, null, { kind: 'redirect', to: '' }],
  ['bad credentials', 401, {}, 'Bad credentials', { kind: 'unauthenticated' }],
  ['not found', 404, {}, 'Not Found', { kind: 'absent' }],
  ['gone', 410, {}, 'Gone', { kind: 'gone' }],
  ['conflict', 409, {}, 'Already exists', { kind: 'refused' }],
  ['invalid', 422, {}, 'Validation Failed', { kind: 'refused' }],
  ['a proxy that wants a password', 407, {}, null, { kind: 'failed' }],
  ['a bad gateway', 502, {}, null, { kind: 'failed' }],
  ['a status that nobody knows', 299 + 400, {}, null, { kind: 'failed' }],
  [
    'a missing permission',
    403,
    { 'x-accepted-github-permissions': 'actions=write', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': RESET },
    'Resource not accessible by integration',
    { kind: 'forbidden', permission: 'actions=write' },
  ],
  ['a refusal without words', 403, {}, null, { kind: 'forbidden', permission: null }],
  ['a legal block', 451, {}, 'Repository access blocked', { kind: 'forbidden', permission: null }],
  ['a run that is running', 403, {}, 'The workflow run containing this job is already running', { kind: 'refused' }],
  [
    'a run that is too old',
    403,
    {},
    'Unable to retry this workflow run because it was created over a month ago',
    { kind: 'refused' },
  ],
  [
    'the primary limit',
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': RESET },
    'API rate limit exceeded for installation ID 1.',
    limited('primary', 601_000),
  ],
  [
    'the primary limit as 429',
    429,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': RESET },
    null,
    limited('primary', 601_000),
  ],
  ['a secondary limit that says how long', 403, { 'retry-after': '17' }, SECONDARY, limited('secondary', 17_000)],
  [
    'a secondary limit that says until when',
    429,
    { 'retry-after': new Date(NOW + 30_000).toUTCString() },
    null,
    limited('secondary', 30_000),
  ],
  ['a secondary limit that says nothing', 403, {}, SECONDARY, limited('secondary', 60_000)],
  ['a 429 without headers', 429, {}, null, limited('secondary', 60_000)],
  [
    'an abuse limit of an old enterprise server',
    403,
    {},
    'You have triggered an abuse detection mechanism.',
    limited('secondary', 60_000),
  ],
  [
    'a reset that has passed',
    429,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '12' },
    null,
    limited('primary', 1000),
  ],
  ['a pause of years', 429, { 'retry-after': '999999999' }, null, limited('secondary', LONGEST_WAIT_MS)],
  ['a pause that is no number', 403, { 'retry-after': 'soon' }, SECONDARY, limited('secondary', 60_000)],
]

describe('the meaning of a reply', () => {
  it.each(TABLE)('knows %s', (...[, status, headers, message, meaning]) => {
    expect(readMeaning({ status, headers, message }, NOW, 0)).toEqual(meaning)
  })

  it('asks for ever longer pauses while secondary limits go on', () => {
    const waits = [0, 1, 2, 10].map((strikes) => readMeaning({ status: 429, headers: {}, message: null }, NOW, strikes))
    expect(waits).toEqual([60_000, 120_000, 240_000, 3_840_000].map((ms) => limited('secondary', ms)))
  })

  it('never waits longer than a window of the budget, and always a moment', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('0', '1', ''),
        fc.nat(),
        (retry, reset, remaining, strikes) => {
          const headers = { 'retry-after': retry, 'x-ratelimit-reset': reset, 'x-ratelimit-remaining': remaining }
          const meaning = readMeaning({ status: 429, headers, message: null }, NOW, strikes)
          if (meaning.kind !== 'limited') throw new Error(meaning.kind)
          expect(meaning.until).toBeGreaterThan(NOW)
          expect(meaning.until).toBeLessThanOrEqual(NOW + LONGEST_WAIT_MS)
        },
      ),
    )
  })
})
