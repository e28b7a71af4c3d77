import { describe, expect, it } from 'vitest'
import { findFinding, traps } from '#test/fleets/arc-set.ts'
import type { RunnerCase, SetCase } from '#test/fleets/arc-set.ts'
import type { LogCase } from '#test/fleets/arc-logs.ts'

const NAME = 'lane-x7k2p-runner-aaaaa'
const own: RunnerCase = { name: NAME }
const CONFLICT = '2026-06-01 11:59:00Z: Runner connect error: Error: Conflict. Retrying until reconnected.'
const FORGOTTEN = 'The runner registration has been deleted from the server, please re-configure.'
const log = (...lines: LogCase['lines']): LogCase => ({ pod: NAME, lines })
const zombie = (runner: RunnerCase, more: SetCase = {}): boolean =>
  traps({ ...more, runners: [runner] }).includes(`zombie-session-conflict ${NAME}`)

describe('a runner that cannot get a session', () => {
  it.each<readonly [string, boolean, RunnerCase, SetCase]>([
    ['is a zombie by its last log line', true, own, { logs: [log([60, CONFLICT])] }],
    [
      'is a zombie by any of the words for it',
      true,
      own,
      { logs: [log([60, 'A session for this runner already exists.'])] },
    ],
    [
      'is none once it listens',
      false,
      own,
      { logs: [log([60, CONFLICT], [30, '2026-06-01 11:59:30Z: Listening for Jobs'])] },
    ],
    [
      'is none once it works',
      false,
      own,
      { logs: [log([60, CONFLICT], [30, '2026-06-01 11:59:30Z: Running job: build'])] },
    ],
    ['is one again after that', true, own, { logs: [log([60, 'Listening for Jobs'], [30, CONFLICT])] }],
    ['is none by the log of the pod before it', false, { ...own, pod: { age: 100 } }, { logs: [log([101, CONFLICT])] }],
    ['is none by the log of the run before', false, own, { logs: [{ ...log([60, CONFLICT]), previous: true }] }],
    ['is none without a pod', false, { ...own, pod: null }, { logs: [log([60, CONFLICT])] }],
    ['is none that is terminating', false, { ...own, deleted: 5 }, { logs: [log([60, CONFLICT])] }],
    [
      'is one that GitHub has forgotten under a second pod',
      true,
      { ...own, pod: { age: 600 } },
      { logs: [log([60, FORGOTTEN])] },
    ],
    [
      'is one that GitHub has forgotten after a failure',
      true,
      { ...own, status: { failures: { a: '' } } },
      { logs: [log([60, FORGOTTEN])] },
    ],
    [
      'is none that GitHub has forgotten under a pod of a minute later',
      false,
      { ...own, age: 660, pod: { age: 600 } },
      { logs: [log([60, FORGOTTEN])] },
    ],
    ['is none that GitHub has forgotten under its first pod', false, own, { logs: [log([60, FORGOTTEN])] }],
  ])('%s: %s', (_title, is, runner, more) => {
    expect(zombie(runner, more)).toBe(is)
  })

  const second: RunnerCase = { ...own, job: true, github: 'offline-busy', pod: { age: 900 } }
  it.each<readonly [string, boolean, RunnerCase, SetCase]>([
    ['with a job, offline, under a later pod', true, second, {}],
    ['with a job, absent, under a later pod', true, { ...second, github: 'absent' }, {}],
    ['not if its log says nothing of it', false, second, { logs: [log([60, 'Running job: build'])] }],
    ['not while GitHub lists it online', false, { ...second, github: 'busy' }, {}],
    ['not within two minutes of its start', false, { ...second, pod: { age: 120 } }, {}],
    ['not without a job', false, { ...second, job: false, github: 'offline' }, {}],
    ['not under a pod that came two minutes later', false, { ...second, age: 1020 }, {}],
    ['not under its first pod', false, { ...second, pod: { age: 3500 } }, {}],
    ['not if GitHub is blind', false, second, { blind: ['github'] }],
  ])('is reported without its log %s: %s', (_title, is, runner, more) => {
    expect(zombie(runner, more)).toBe(is)
  })

  it('that GitHub lists as online is not gone: its gate does not hold', () => {
    const finding = findFinding({ runners: [own], logs: [log([60, CONFLICT])] }, 'zombie-session-conflict')
    expect(finding?.hint).toMatch(/^signalbox reap --policy zombie -n \S+ \(--apply removes it\); by hand: first check/)
    expect(finding?.gates?.find(({ gate }) => gate === 'github-not-busy')).toMatchObject({
      holds: false,
      why: 'GitHub lists runner 9001 as online, not busy: it can get a job at any time',
    })
  })

  it('with a job is never to be deleted before the run is cancelled', () => {
    const finding = findFinding({ runners: [second] }, 'zombie-session-conflict')
    expect(finding?.hint).toContain('cancel the run at GitHub')
    // `reap` refuses it also after that.
    expect(finding?.hint).not.toContain('signalbox reap')
    expect(finding?.gates?.some(({ gate, holds }) => gate === 'no-job-on-record' && !holds)).toBe(true)
  })
})
