import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { runInProcess } from '#test/cli/run-in-process.ts'

/** A runner that ended with exit code 1; only someone who knows the license server can name the reason. */
const BUNDLE: Readonly<Record<string, string>> = {
  'meta.json': JSON.stringify({
    schemaVersion: 1,
    collectedAt: '2026-06-06T21:40:00Z',
    subject: { namespace: 'arc-runners', pod: 'linux-runner-1' },
    sources: { 'kubernetes/pods': { ok: true }, 'kubernetes/events': { ok: true }, logs: { ok: true } },
  }),
  'kubernetes/pods.json': JSON.stringify({
    kind: 'List',
    items: [
      {
        kind: 'Pod',
        metadata: { name: 'linux-runner-1', namespace: 'arc-runners', uid: '3c1a7d0e-6a5b-4f0e-9d57-0d5c3a1f2b11' },
        spec: { nodeName: 'n1', containers: [{ name: 'runner', image: 'runner' }] },
        status: {
          phase: 'Failed',
          startTime: '2026-06-06T21:29:01Z',
          containerStatuses: [
            {
              name: 'runner',
              state: {
                terminated: {
                  exitCode: 1,
                  reason: 'Error',
                  startedAt: '2026-06-06T21:29:02Z',
                  finishedAt: '2026-06-06T21:35:08Z',
                },
              },
            },
          ],
        },
      },
    ],
  }),
  'kubernetes/events.json': JSON.stringify({ kind: 'List', items: [] }),
  'journal/n1.jsonl': [
    { at: '2026-06-06T21:20:00Z', text: 'licfs: seat table lost on lic01' },
    { at: '2026-06-06T21:35:05Z', text: 'licfs: seat table lost on lic01' },
    { at: '2026-06-06T21:36:00Z', text: 'eth0: link is up' },
  ]
    .map(({ at, text }) =>
      JSON.stringify({
        __REALTIME_TIMESTAMP: String(Date.parse(at) * 1000),
        _TRANSPORT: 'kernel',
        SYSLOG_IDENTIFIER: 'kernel',
        MESSAGE: text,
      }),
    )
    .join('\n'),
  'logs/arc-runners/linux-runner-1/runner.log': [
    '2026-06-06T21:30:00Z √ Connected to GitHub',
    '2026-06-06T21:30:01Z 2026-06-06 21:30:01Z: Listening for Jobs',
    '2026-06-06T21:30:05Z 2026-06-06 21:30:05Z: Running job: build',
    '2026-06-06T21:35:06Z ERROR: license server lic01:27000 refused: no seats left',
  ].join('\n'),
}

const RULES = `apiVersion: signalbox.dev/v1alpha1
kind: Rules
signatures:
  - id: license-refused
    says: The license server gave no seat.
    patterns:
      - streams: [runner-log]
        regex: 'license server (?P<server>\\S+) refused: (?<why>.+)$'
        strength: strong
        examples:
          matches: ['license server lic01 refused: no seats']
          rejects: ['license server lic01 answered']
  - id: seats-lost
    says: The node lost its table of seats.
    patterns:
      - streams: [kernel]
        regex: 'seat table lost on (?P<server>\\S+)'
        strength: medium
        examples:
          matches: ['licfs: seat table lost on lic01']
          rejects: ['licfs: seat table read from lic01']
causes:
  - id: license-exhausted
    kind: death
    meaning: the build had no seat at the license server
    for:
      - { clue: license-refused, weight: 0.8 }
      - { clue: seats-lost, weight: 0.5, about: node }
    against:
      - { clue: oom-kill }
    settledBy: [logs, github/logs]
    sentence: '{pod} got no seat at {license-refused.server}: {license-refused.why}.'
    next: ['Ask the owners of {license-refused.server} for more seats.']
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'signalbox-own-rules-'))
  for (const [name, text] of Object.entries(BUNDLE)) {
    mkdirSync(path.dirname(path.join(folder, 'bundle', name)), { recursive: true })
    writeFileSync(path.join(folder, 'bundle', name), text)
  }
  writeFileSync(path.join(folder, 'rules.yaml'), RULES)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const why = (...args: readonly string[]) => runInProcess(['why', '--bundle', 'bundle', ...args], { cwd: folder })

describe('signalbox why --rules', () => {
  it('knows no cause without them', async () => {
    const { code, stdout } = await why('-o', 'json')
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { verdict: { cause: 'unknown' } }])
  })

  it('names a cause of the file, by clues of the file from two sources', async () => {
    const { code, stdout } = await why('--rules', 'rules.yaml', '-o', 'json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        verdict: {
          cause: 'license-exhausted',
          kind: 'death',
          confidence: 0.9,
          sentence: 'Pod arc-runners/linux-runner-1 got no seat at lic01:27000: no seats left.',
          because: [{ source: 'journal/n1' }, { source: 'logs/arc-runners/linux-runner-1/runner' }],
          next: ['Ask the owners of lic01:27000 for more seats.'],
        },
      },
    ])
  })

  it('refuses invalid rules before it judges anything', async () => {
    writeFileSync(path.join(folder, 'wrong.yaml'), RULES.replace('clue: seats-lost', 'clue: seats-last'))
    const { code, stdout, stderr } = await why('--rules', 'wrong.yaml')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('wrong.yaml:28:17: causes[0].for[1].clue seats-last is no signature')
    expect(stderr).toContain('did you mean seats-lost?')
  })
})
