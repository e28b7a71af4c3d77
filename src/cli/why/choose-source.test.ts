import { describe, expect, it } from 'vitest'
import { QUESTIONED_SOURCES } from '#/core/why/verdict.ts'
import { recordKnowsMore, mayUseRecord } from './choose-source.ts'

type Live = Parameters<typeof recordKnowsMore>[0]

const OWN = ['kubernetes/pods', 'kubernetes/events', 'logs']
const looked = (sources: readonly string[]) => new Map(sources.map((source) => [source, { kind: 'looked' }]))
const standing = { lastSeenAt: null }
const live = (
  confidence: number,
  {
    uid = 'u',
    jobId = null,
    runner = null,
    pod = standing,
    hasSuccessor = false,
    cause = 'oom-container',
    saw = OWN,
  }: object & Record<string, unknown> = {},
) =>
  ({
    subject: { uid, jobId, runner },
    verdict: { cause, confidence },
    evidence: { pod, hasSuccessor, sources: looked(saw as readonly string[]) },
  }) as unknown as Live
const gone = { pod: null }
const lastSeen = { pod: { lastSeenAt: 5 } }
const namedPod = (state = 'running', namespace = 'arc') => ({
  namespace,
  name: 'linux-x1',
  phase: 'Running',
  lastSeenAt: null,
  containers: [{ name: 'runner', role: 'main', state: { kind: state } }],
})
const other = { cause: 'node-lost' }

/** A row that saw as much as what is live, and one that saw the audit log too. */
const rowThatSaw = (saw: readonly string[], confidence = 0.8) => ({
  uid: 'u',
  namespace: 'arc',
  pod: 'linux-x1',
  runner: null,
  job: null,
  cause: 'oom-container',
  confidence,
  blind: QUESTIONED_SOURCES.filter((source) => !saw.includes(source)).map((source) => ({ source, reason: '' })),
})
const AUDITED = [...OWN, 'kubernetes/audit']

describe('the choice between live and recorded', () => {
  it.each<[string, readonly Live[], boolean]>([
    ['a pod that stands and is known as well', [live(0.8)], false],
    ['a pod that stands and is known less', [live(0.7)], true],
    ['a pod that is gone', [live(0.9, gone)], true],
    ['a pod as it was last seen', [live(0.9, lastSeen)], true],
    ['a pod whose name another one has now', [live(0.9, { hasSuccessor: true })], true],
    ['another pod of that name', [live(0.1, { uid: 'other' })], false],
    ['a pod of which nobody knows the UID', [live(0.1, { uid: null, ...gone })], true],
    ['a new pod of that name that runs', [live(0.9, { uid: 'other', pod: namedPod() })], true],
    ['a new pod of that name that cannot start', [live(0.9, { uid: 'other', pod: namedPod('waiting') })], true],
    ['a new pod of that name that has ended too', [live(0.1, { uid: 'other', pod: namedPod('terminated') })], false],
    ['a new pod of that name elsewhere', [live(0.1, { uid: 'other', pod: namedPod('running', 'other') })], false],
    ['several', [live(0.1), live(0.1)], false],
    ['none', [], false],
  ])('may use the record: %s', (_, results, expected) => {
    expect(mayUseRecord(results, rowThatSaw(OWN))).toBe(expected)
  })

  it.each<[string, object, object, boolean]>([
    ['the job that is recorded', { jobId: 7, runner: 'linux-x9' }, { job: { id: 7, name: null, url: null } }, true],
    [
      'another job than is recorded',
      { jobId: 7, runner: 'linux-x1' },
      { job: { id: 8, name: null, url: null } },
      false,
    ],
    ['a runner that is called like the pod', { jobId: 7, runner: 'linux-x1-a1' }, {}, true],
    ['a runner that is called like the one recorded', { jobId: 7, runner: 'r' }, { runner: 'r' }, true],
    ['another runner', { jobId: 7, runner: 'linux-x2' }, {}, false],
  ])('may use the record when the UID is unknown, by %s', (_, subject, row, expected) => {
    const one = live(0.1, { uid: null, ...gone, ...subject })
    expect(mayUseRecord([one], { ...rowThatSaw(OWN), ...row })).toBe(expected)
  })

  it.each<[string, Live, boolean]>([
    ['and names the same cause as surely', live(0.8), true],
    ['and names the same cause more surely', live(0.9), true],
    ['and names another as surely', live(0.8, other), true],
    ['and names another more surely', live(0.9, other), false],
  ])('may use the record of an existing pod when it saw more, %s', (_, one, expected) => {
    expect(mayUseRecord([one], rowThatSaw(AUDITED))).toBe(expected)
  })

  it.each<[string, Live, number, boolean]>([
    [
      'of a pod that is gone, as certain',
      live(0.8, { ...gone, saw: ['kubernetes/pods', ...AUDITED.slice(1)] }),
      3,
      true,
    ],
    [
      'of a pod that is gone, less certain: somebody brought better evidence',
      live(0.9, { ...gone, saw: AUDITED }),
      3,
      false,
    ],
    ['of a pod that stands, as certain', live(0.8), 3, false],
    ['of a pod that stands, more certain', live(0.7), 3, true],
    ['of a pod that stands, more certain, where more is seen by now', live(0.7, { saw: AUDITED }), 3, true],
    ['of a pod that stands, as certain, where more is seen by now', live(0.8, { saw: AUDITED }), 3, false],
    ['of a pod that stands, less certain of the same, where more was seen then', live(0.9), 4, true],
    ['of a pod that stands, less certain of another, where more was seen then', live(0.9, other), 4, false],
  ])('uses the record: %s', (_, one, seen, expected) => {
    expect(recordKnowsMore(one, { cause: 'oom-container', confidence: 0.8, seen })).toBe(expected)
  })
})
