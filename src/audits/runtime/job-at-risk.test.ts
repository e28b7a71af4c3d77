import { describe, expect, it } from 'vitest'
import { findFinding, traps } from '#test/fleets/arc-set.ts'
import type { PodCase, RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'
const busy: RunnerCase = { name: NAME, job: true, github: 'busy' }
const RISK = [`assigned-job-at-risk ${NAME}`]
const inProgress = { id: 5, run_id: 7, status: 'in_progress', runner_name: NAME }
const completed = {
  id: 5,
  run_id: 7,
  status: 'completed',
  conclusion: 'success',
  runner_name: NAME,
  completed_at: ago(60_000),
}
const end = (exitCode: number, age = 5): PodCase => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  state: { terminated: { exitCode, startedAt: ago(3_600_000), finishedAt: ago(age * 1000) } },
})
const evicted: PodCase = {
  phase: 'Failed',
  reason: 'Evicted',
  state: { terminated: { exitCode: 137, startedAt: ago(9000) } },
}

const risks = (own: SetCase) => traps(own).filter((trap) => trap.startsWith('assigned-job-at-risk'))

describe('the advice for a job at risk', () => {
  const hint = (own: Partial<RunnerCase>) =>
    findFinding({ runners: [{ ...busy, ...own }] }, 'assigned-job-at-risk')?.hint
  it.each<readonly [string, Partial<RunnerCase>]>([
    ['failed', { pod: evicted }],
    ['is gone', { pod: null }],
    ['ended beside a sidecar', { pod: { ...end(1), phase: 'Running' } }],
  ])('is that it is lost where its pod %s, and not to wait for it', (_title, own) => {
    expect(hint(own)).toMatch(/^the job is lost, its runner is dead: GitHub gives it up after about ten minutes/)
    expect(hint(own)).toContain('gh run cancel 7 -R example-org/app')
    expect(hint(own)).not.toMatch(/wait for the job/)
  })

  it('is when it ends where its pod is terminating', () => {
    expect(hint({ pod: { deleted: -30 } })).toMatch(/unless it ends before its pod does \(2026-06-01T12:00:30Z\)/)
  })

  it('is to wait where its pod runs', () => {
    expect(hint({ github: 'offline-busy' })).toMatch(/wait for the job, or cancel its run/)
  })
})

describe('the job of a runner', () => {
  it.each<readonly [string, readonly string[], SetCase]>([
    ['is well while its pod runs', [], { runners: [busy] }],
    ['is at risk when its pod failed', RISK, { runners: [{ ...busy, pod: evicted }] }],
    [
      'is at risk when its runner ended beside a sidecar',
      RISK,
      { runners: [{ ...busy, pod: { ...end(1), phase: 'Running' } }] },
    ],
    ['is at risk when its pod is terminating', RISK, { runners: [{ ...busy, pod: { deleted: -30 } }] }],
    ['is at risk when its pod is gone', RISK, { runners: [{ ...busy, pod: null }] }],
    ['is at risk by its EphemeralRunner alone', RISK, { runners: [{ ...busy, github: 'online', pod: null }] }],
    ['is at risk by GitHub alone', RISK, { runners: [{ name: NAME, github: 'busy', pod: null }] }],
    ['is at risk by a job in progress alone', RISK, { runners: [{ name: NAME, pod: null }], jobs: [inProgress] }],
    ['is well while only its EphemeralRunner is terminating: ARC waits', [], { runners: [{ ...busy, deleted: 60 }] }],
    [
      'is at risk when both are terminating and GitHub still runs it',
      RISK,
      { runners: [{ ...busy, deleted: 60, pod: null }] },
    ],
    [
      'is over when GitHub let the runner go that ARC removes',
      [],
      { runners: [{ ...busy, github: 'absent', deleted: 5, pod: { deleted: -30 } }] },
    ],
    [
      'is at risk when its pod failed, though GitHub let it go',
      RISK,
      { runners: [{ ...busy, github: 'absent', deleted: 5, pod: evicted }] },
    ],
    ['is over when the runner ended well', [], { runners: [{ ...busy, github: 'online', pod: end(0) }] }],
    [
      'is over when GitHub completed it',
      [],
      { runners: [{ ...busy, github: 'online', pod: null }], completed: [completed] },
    ],
    [
      'is not over while GitHub still calls it busy',
      RISK,
      { runners: [{ ...busy, pod: null }], completed: [completed] },
    ],
    ['may outlive its pod for two minutes', [], { runners: [{ ...busy, pod: end(0, 120) }], jobs: [inProgress] }],
    [
      'is at risk when its pod ended well and GitHub runs on',
      RISK,
      { runners: [{ ...busy, pod: end(0, 121) }], jobs: [inProgress] },
    ],
    ['is at risk when GitHub lists it offline', RISK, { runners: [{ ...busy, github: 'offline-busy' }] }],
    [
      'may be offline for two minutes after the start',
      [],
      { runners: [{ ...busy, github: 'offline-busy', pod: { age: 120 } }] },
    ],
    ['is at risk after that', RISK, { runners: [{ ...busy, github: 'offline-busy', pod: { age: 121 } }] }],
    ['is well with GitHub alone while its listener works', [], { runners: [{ name: NAME, github: 'busy' }] }],
    [
      'is at risk with GitHub alone while its listener is missing',
      RISK,
      { runners: [{ name: NAME, github: 'busy' }], listener: false },
    ],
    [
      'is at risk with GitHub alone while its listener has no pod',
      RISK,
      { runners: [{ name: NAME, github: 'busy' }], listenerPod: false },
    ],
    ['is well on record while its listener is missing', [], { runners: [busy], listener: false }],
    ['is not judged by pods that could not be read', [], { runners: [busy], blind: ['pods'] }],
    ['does not exist', [], { runners: [{ name: NAME, pod: null }] }],
  ])('%s', (_title, expected, own) => {
    expect(risks(own)).toEqual(expected)
  })

  it.each<readonly [PodCase | null, string]>([
    [evicted, 'its pod has failed (Evicted), exit code 137'],
    [{ phase: 'Failed', reason: 'NodeLost', state: {} }, 'its pod has failed (NodeLost)'],
    [end(1), 'its pod has failed, exit code 1'],
    [null, 'its pod is gone'],
  ])('is reported with the state of its pod: %o', (pod, text) => {
    expect(findFinding({ runners: [{ ...busy, pod }] }, 'assigned-job-at-risk')?.evidence.at(-1)).toBe(text)
  })

  it('has no run to cancel if it is unknown', () => {
    const own = { runners: [{ name: NAME, github: 'busy' as const, pod: null }] }
    expect(findFinding(own, 'assigned-job-at-risk')?.hint).not.toContain('gh run cancel')
  })

  it('is critical, names the run, and its gates refuse', () => {
    const finding = findFinding({ runners: [{ ...busy, pod: evicted }] }, 'assigned-job-at-risk')
    expect(finding).toMatchObject({
      severity: 'critical',
      fields: { scaleSet: 'lane', proofs: ['record', 'github-busy'] },
    })
    expect(finding?.hint).toContain('do not delete')
    expect(finding?.hint).toContain('gh run cancel 7 -R example-org/app')
    expect(finding?.gates?.find(({ gate }) => gate === 'github-not-busy')).toMatchObject({ holds: false })
    expect(finding?.gates?.find(({ gate }) => gate === 'no-job-on-record')).toMatchObject({ holds: false })
  })
})
