import { describe, expect, it } from 'vitest'

import { unwrapLog } from './unwrap-log.ts'

const OWNER = { namespace: 'ci', pod: 'r-1', container: 'runner' }
const AT = '2026-11-15T20:38:07.5Z'
const PLAIN = `${AT} Listening for Jobs\n${AT} Done\n`

const docker = (log: string, stream = 'stdout'): string => JSON.stringify({ log, stream, time: AT })

const WRAPPED: readonly (readonly [tool: string, lines: readonly string[]])[] = [
  ['docker json-file', [docker('Listening for Jobs\n'), docker('Done\n')]],
  ['a line in parts of docker', [docker('Listening '), docker('for Jobs\n'), docker('Done\n')]],
  ['a line with CRLF of docker', [docker('Listening for Jobs\r\n'), docker('Done\r\n')]],
  ['the CRI', [`${AT} stdout F Listening for Jobs`, `${AT} stdout F Done`]],
  ['a line in parts of the CRI', [`${AT} stdout P Listening `, `${AT} stdout F for Jobs`, `${AT} stderr F Done`]],
  ['kubectl logs --prefix', [`[pod/r-1/runner] ${AT} Listening for Jobs`, `[pod/r-1/runner] ${AT} Done`]],
  ['stern', [`r-1 runner ${AT} Listening for Jobs`, `r-1 runner ${AT} Done`]],
  ['stern over namespaces', [`ci r-1 runner ${AT} Listening for Jobs`, `ci r-1 runner ${AT} Done`]],
  [
    'stern -o json',
    ['Listening for Jobs', 'Done'].map((message) => JSON.stringify({ message, podName: 'r-1', timestamp: AT })),
  ],
  [
    'an export of Loki, newest first',
    [
      JSON.stringify({ labels: { pod: 'r-1' }, line: 'Done', timestamp: '2026-11-15T20:38:08Z' }),
      JSON.stringify({ labels: { pod: 'r-1' }, line: 'Listening for Jobs', timestamp: AT }),
    ],
  ],
  [
    'Fluent Bit, with parts',
    [
      JSON.stringify({ log: 'Listening ', _p: 'P', stream: 'stdout', time: AT }),
      JSON.stringify({ log: 'for Jobs', _p: 'F', stream: 'stdout', time: AT }),
      JSON.stringify({ log: 'Done', _p: 'F', stream: 'stdout', time: AT }),
    ],
  ],
]

describe('a log that a tool saved in its own form', () => {
  it.each(WRAPPED)('reads as kubectl prints it: %s', (_tool, lines) => {
    const text = unwrapLog(`${lines.join('\n')}\n`, OWNER)
    expect(text.replaceAll('20:38:08Z', '20:38:07.5Z')).toBe(PLAIN)
  })

  it('keeps parts of both streams apart, and the part that was cut', () => {
    const lines = [`${AT} stdout P a`, `${AT} stderr F x`, `${AT} stdout F b`, `${AT} stdout P cut`]
    expect(unwrapLog(lines.join('\n'), OWNER)).toBe(`${AT} x\n${AT} ab\n${AT} cut\n`)
  })

  it('keeps what the tool did not write', () => {
    const lines = [...Array.from({ length: 9 }, () => docker('line\n')), 'a line of somebody else']
    expect(unwrapLog(lines.join('\n'), OWNER)).toContain('\na line of somebody else\n')
  })

  it.each([
    ['an ordinary log', PLAIN],
    ['a program that logs JSON', '{"level":"info","message":"started","time":"2026-11-15T20:38:07Z"}\n'],
    ['a log with a few lines of the form', `${PLAIN.repeat(5)}${docker('x\n')}\n`],
    ['the prefix of another pod', `[pod/r-2/runner] ${AT} Listening for Jobs\n`],
    ['nothing', ''],
  ])('leaves as it is: %s', (_what, text) => {
    expect(unwrapLog(text, OWNER)).toBe(text)
  })
})
