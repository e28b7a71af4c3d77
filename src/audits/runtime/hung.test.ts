import { describe, expect, it } from 'vitest'
import { findFinding, traps } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'
const runner: RunnerCase = { name: NAME, job: true }
const done = (age: number, more: object = {}) => ({
  id: 5,
  status: 'completed',
  conclusion: 'success',
  runner_name: NAME,
  started_at: ago(7_200_000),
  completed_at: ago(age * 1000),
  ...more,
})
const hung = (own: SetCase): boolean => traps(own).includes(`hung-after-completion ${NAME}`)

describe('a runner whose job is over', () => {
  it.each<readonly [string, boolean, SetCase]>([
    ['is hung after five minutes', true, { runners: [runner], completed: [done(300)] }],
    ['is not hung before', false, { runners: [runner], completed: [done(299)] }],
    ['is hung without a job on record', true, { runners: [{ name: NAME }], completed: [done(300)] }],
    [
      'is not hung while another job names it',
      false,
      {
        runners: [runner],
        completed: [done(600)],
        jobs: [{ id: 6, status: 'in_progress', runner_name: NAME, started_at: ago(9000) }],
      },
    ],
    ['is not hung that is terminating', false, { runners: [{ ...runner, deleted: 60 }], completed: [done(600)] }],
    [
      'is not hung whose pod ended',
      false,
      { runners: [{ ...runner, pod: { phase: 'Succeeded' } }], completed: [done(600)] },
    ],
    ['is not hung whose pod is gone', false, { runners: [{ ...runner, pod: null }], completed: [done(600)] }],
    [
      'is hung by its record where pods are blind',
      true,
      { runners: [runner], completed: [done(600)], blind: ['pods'] },
    ],
    [
      'is not hung by the job of another',
      false,
      { runners: [runner], completed: [done(600, { runner_name: 'other' })] },
    ],
    [
      'is not hung by a job without an end',
      false,
      { runners: [runner], completed: [done(600, { completed_at: null })] },
    ],
  ])('%s: %s', (_title, is, own) => {
    expect(hung(own)).toBe(is)
  })

  it('is not a job at risk, and reports for how long', () => {
    const own = { runners: [runner], completed: [done(3 * 3600)] }
    expect(traps(own)).toEqual([`hung-after-completion ${NAME}`])
    expect(findFinding(own, 'hung-after-completion')?.fields).toMatchObject({ secondsSinceCompletion: 10_800 })
  })
})
