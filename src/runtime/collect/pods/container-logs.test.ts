import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { judgeLogs } from './container-logs.ts'

const START = Date.UTC(2026, 5, 6, 21)
const line = (afterMs: number): string => `${new Date(START + afterMs).toISOString()} hello\n`
const tail = (text: string, cut = false) => seen({ text, cut })
const gone = blind('expired', 'no file')
const started = { startedAt: START }

describe('what a log covers', () => {
  it.each([
    ['all since the start, where it begins soon after it', tail(line(900)), started, START],
    [
      'all since its first line, where that is late: it may have been turned over',
      tail(line(90_000)),
      started,
      START + 90_000,
    ],
    ['all since its first line, where the beginning is cut off', tail(line(900), true), started, START + 900],
    ['all since its first line, where no start is known', tail(line(900)), { startedAt: null }, START + 900],
    ['all since the time that was asked for', tail(line(900)), { startedAt: null, since: START }, START],
    ['all since the start, where nothing was written', none(), started, START],
    ['nobody knows what, where lines have no time', tail('hello\n'), started, null],
  ])('is %s', (_, current, order, from) => {
    expect(judgeLogs(current, null, order)).toMatchObject({ kind: 'looked', from })
  })

  it('says what is missing, and is blind only where both logs are', () => {
    expect(judgeLogs(gone, null, started)).toEqual(gone)
    expect(judgeLogs(gone, gone, started)).toEqual(gone)
    expect(judgeLogs(gone, tail(line(1)), started)).toMatchObject({
      kind: 'looked',
      remark: 'the log since the restart: expired: no file',
    })
    expect(judgeLogs(tail(line(1), true), gone, started)).toMatchObject({
      kind: 'looked',
      remark: 'the log before the restart: expired: no file; the beginning is cut off',
    })
  })
})
