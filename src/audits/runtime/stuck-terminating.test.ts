import { describe, expect, it } from 'vitest'
import { findFinding, runnerPod, traps } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'
const going = (deleted: number, more: Partial<RunnerCase> = {}): SetCase => ({
  runners: [{ name: NAME, deleted, ...more }],
})
const STUCK = [`stuck-terminating ${NAME}`]
const old = { name: 'lane-old', age: 90_000 }

describe('something stuck in termination', () => {
  it.each<readonly [string, readonly string[], SetCase]>([
    ['is stuck ten minutes after it should have', STUCK, going(600)],
    ['is not stuck before', [], going(599)],
    ['is a pod whose grace has ended long ago', STUCK, { runners: [{ name: NAME, pod: { deleted: 600 } }] }],
    ['is not one whose pod still has its grace', [], going(3600, { pod: { deleted: -60 } })],
    ['is a pod whose runner is gone', ['stuck-terminating orphan'], { pods: [runnerPod('orphan', { deleted: 600 })] }],
    [
      'is not a pod that is only remembered',
      [],
      {
        pods: [
          runnerPod('orphan', {
            deleted: 600,
            metadata: { annotations: { 'signalbox.dev/last-seen': '2026-06-01T11:40:00Z' } },
          }),
        ],
      },
    ],
    ['is not a pod of something else', [], { pods: [runnerPod('other', { deleted: 600, labels: {} })] }],
    ['is a set', ['stuck-terminating lane'], { set: { deleted: 600 }, listener: false }],
    [
      'is not a set that waits for a job',
      [],
      { set: { deleted: 600 }, listener: false, runners: [{ name: NAME, job: true, github: 'busy' }] },
    ],
    [
      'is a generation without a job',
      ['rollover-in-flight lane', 'stuck-terminating lane'],
      { runnerSets: [{}, { ...old, deleted: 600 }] },
    ],
    [
      'is not a generation that waits for a job',
      ['rollover-in-flight lane'],
      { runnerSets: [{}, { ...old, deleted: 600 }], runners: [{ name: NAME, job: true, github: 'busy' }] },
    ],
  ])('%s', (_title, expected, own) => {
    expect(traps(own)).toEqual(expected)
  })

  it.each<readonly [string, Partial<RunnerCase>, SetCase, string]>([
    ['waits for the job that GitHub runs', { job: true, github: 'busy' }, {}, 'wait for it'],
    ['cancels a run whose pod is gone', { job: true, github: 'busy', pod: null }, {}, 'cancel the run'],
    ['checks GitHub first if it is blind', {}, { blind: ['github'] }, 'check at GitHub'],
    ['does not wait for a job that is only on record', { job: true, github: 'online' }, {}, 'signalbox why'],
    ['checks what holds it', {}, {}, 'signalbox why lane-x7k2p-runner-aaaaa -n arc'],
  ])('has a hint that %s', (_title, runner, more, expected) => {
    expect(findFinding({ ...going(900, runner), ...more }, 'stuck-terminating')?.hint).toContain(expected)
  })
})
