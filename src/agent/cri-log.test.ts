import { expect, it } from 'vitest'
import { readCriLog } from './cri-log.ts'

const T = '2026-11-16T07:00:00.123456789Z'

it.each([
  [`${T} stdout F hello\n`, `${T} hello\n`],
  [`${T} stderr F \n`, `${T} \n`],
  [`${T} stdout P one, \n2026-11-16T07:00:01Z stdout F two\n`, `${T} one, two\n`],
  [`${T} stdout P begun\n`, `${T} begun\n`],
  [`${T} stdout F stdout F twice\n`, `${T} stdout F twice\n`],
  ['not of a runtime\n', 'not of a runtime\n'],
  ['', ''],
])('reads what a container runtime wrote: %j', (raw, text) => {
  expect(readCriLog(raw)).toBe(text)
})
