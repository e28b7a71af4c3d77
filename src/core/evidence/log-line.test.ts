import { describe, expect, it } from 'vitest'

import { readLogLine, toStream } from './log-line.ts'

const AT = Date.UTC(2026, 10, 15, 20, 38, 7)

const LINES: readonly (readonly [what: string, raw: string, expected: object])[] = [
  ['a bare line', 'Listening for Jobs', { text: 'Listening for Jobs', at: null, stream: null }],
  ['a byte order mark', '\uFEFFfirst', { text: 'first', at: null, stream: null }],
  ['a carriage return', 'line\r', { text: 'line', at: null, stream: null }],
  ['kubectl --timestamps', '2026-11-15T20:38:07.000000000Z Exiting...', { text: 'Exiting...', at: AT, stream: null }],
  ['the CRI', '2026-11-15T22:38:07.000000000+02:00 stderr F Killed', { text: 'Killed', at: AT, stream: null }],
  ['a part of a line of the CRI', '2026-11-15T20:38:07Z stdout P half', { text: 'half', at: AT, stream: null }],
  [
    "the runner's trace",
    '[RUNNER 2026-11-15 20:38:07Z INFO JobDispatcher] Done',
    { text: 'Done', at: AT, stream: 'runner-log' },
  ],
  [
    'the trace behind kubectl',
    '2026-11-15T20:38:07Z [2026-11-15 20:00:00Z INFO Worker] Done',
    { text: 'Done', at: AT, stream: 'runner-log' },
  ],
  [
    'short-iso of the kernel',
    '2026-11-15T22:38:07+0200 n1 kernel: Out of memory',
    { text: 'Out of memory', at: AT, stream: 'kernel' },
  ],
  [
    'short-iso of the kubelet',
    '2026-11-15T20:38:07+0000 n1 kubelet[123]: "SyncLoop"',
    { text: '"SyncLoop"', at: AT, stream: 'kubelet' },
  ],
  [
    'a message that looks like a program',
    '2026-11-15T20:38:07Z npm error: no',
    { text: 'npm error: no', at: AT, stream: null },
  ],
  ['an impossible time', '2026-99-15T20:38:07Z x', { text: 'x', at: null, stream: null }],
]

describe('reading a line of a log', () => {
  it.each(LINES)('strips the prefixes of the tools: %s', (_what, raw, expected) => {
    expect(readLogLine(raw)).toEqual(expected)
  })

  it.each([
    ['kernel', 'kernel'],
    ['containerd', 'containerd'],
    ['qemu-system-x86_64', 'vmm'],
    ['systemd-oomd', 'systemd'],
    ['sshd', null],
    [null, null],
  ])('knows the stream of %s', (identifier, stream) => {
    expect(toStream(identifier)).toBe(stream)
  })
})
