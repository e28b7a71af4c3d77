import { describe, expect, it } from 'vitest'
import { shiftTimes } from './shift-times.ts'

const shift = { seconds: 86_400 + 3600, year: 2026 }

describe('the times of a text', () => {
  it.each([
    ['RFC 3339 to the second', '"2026-11-16T03:47:42Z"', '"2026-11-17T04:47:42Z"'],
    ['RFC 3339 to the nanosecond', '2026-11-16T03:47:29.389978426Z said', '2026-11-17T04:47:29.389978426Z said'],
    ['RFC 3339 with a zone', '2026-11-16T03:47:29+0100 host', '2026-11-17T04:47:29+0100 host'],
    ['as the runner prints it', '[RUNNER 2026-11-16 23:47:29Z INFO', '[RUNNER 2026-11-18 00:47:29Z INFO'],
    ['as Go prints it', 'at="2026-11-16 03:46:54.1 +0000 UTC"', 'at="2026-11-17 04:46:54.1 +0000 UTC"'],
    ['as .NET prints it', 'valid till 11/16/2026 03:57:32', 'valid till 11/17/2026 04:57:32'],
    ['as klog prints it', '"I1116 03:46:54.360774    6211 kubelet.go', '"I1117 04:46:54.360774    6211 kubelet.go'],
    [
      'as journald keeps it',
      '"__REALTIME_TIMESTAMP":"1794800814360906","_SOURCE_REALTIME_TIMESTAMP":"1794800814360000"',
      '"__REALTIME_TIMESTAMP":"1794890814360906","_SOURCE_REALTIME_TIMESTAMP":"1794890814360000"',
    ],
    ['in the name of a file', '_diag/Worker_20261116-031240-utc.log', '_diag/Worker_20261117-041240-utc.log'],
  ])('move: %s', (_, text, expected) => {
    expect(shiftTimes(text, shift)).toBe(expected)
  })

  it.each([
    ['a container that never started', '"1970-01-01T00:00:00Z"'],
    ['the clock of a boot', '"__MONOTONIC_TIMESTAMP":"20768000958"'],
    ['a number of a job', '"id": 1794800814360906'],
    ['a date without a time', 'released 2026-11-16'],
    ['what is no date', '2026-99-99T99:99:99Z'],
  ])('stay: %s', (_, text) => {
    expect(shiftTimes(text, shift)).toBe(text)
  })
})
