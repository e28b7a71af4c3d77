import { describe, expect, it } from 'vitest'
import { runtimeFindings } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import type { LogCase } from '#test/fleets/arc-logs.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'
const runner: RunnerCase = { name: NAME }
const SKIPPED =
  '[RUNNER 2026-06-01 11:50:00Z INFO Runner] Skipping message Job. Job message not found, job was canceled.'
const log = (...lines: LogCase['lines']): readonly LogCase[] => [{ pod: NAME, lines }]
const waiting = { id: 9, status: 'queued', labels: ['lane'] }
const findings = (own: SetCase): readonly string[] =>
  runtimeFindings(own)
    .filter(({ subject }) => subject.name === NAME)
    .map((one) => one.class)

const TRAP = ['cancelled-job-handoff']
const IDLE = ['idle-no-job-runner']

describe('a runner that got a cancelled job', () => {
  it.each<readonly [string, readonly string[], SetCase]>([
    ['is a trap while a job waits', TRAP, { jobs: [waiting] }],
    ['is idle in a set that is full while nobody waits', IDLE, { max: 1 }],
    ['is a trap by its own log if GitHub is blind', TRAP, { jobs: [waiting], blind: ['github'] }],
    ['is a trap if the queue is blind and the set is full', TRAP, { blind: ['queue'], max: 1 }],
    ['is idle if the queue is blind and there is room', IDLE, { blind: ['queue'] }],
    ['is idle while nobody waits and there is room', IDLE, {}],
    ['is idle while only others wait', IDLE, { jobs: [{ ...waiting, labels: ['gpu'] }] }],
    ['is a trap after it listens on', TRAP, { jobs: [waiting], logs: log([60, SKIPPED], [59, 'Listening for Jobs']) }],
    [
      'is idle that took a job after that',
      IDLE,
      { jobs: [waiting], logs: log([60, SKIPPED], [30, 'Running job: build']) },
    ],
    ['is busy with its next job', [], { jobs: [waiting], runners: [{ ...runner, job: true, github: 'busy' }] }],
    ['is no trap that is terminating', [], { jobs: [waiting], runners: [{ ...runner, deleted: 5 }] }],
    ['is idle by the log of another pod', IDLE, { jobs: [waiting], runners: [{ ...runner, pod: { age: 30 } }] }],
  ])('%s', (_title, expected, own) => {
    expect(findings({ runners: [runner], logs: log([60, SKIPPED]), ...own })).toEqual(expected)
  })
})
