import { describe, expect, it } from 'vitest'

import { readEnding } from '#/core/why/ending.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { readRemovals } from '#/core/why/removal.ts'
import {
  END,
  SUBJECT,
  UID,
  makeAudit,
  makeContainer,
  ended,
  endedPod,
  makeEvent,
  makeEvidence,
  makeJob,
  journalFact,
  logFact,
  makeLog,
  looking,
  makePod,
  second,
} from '#test/why/evidence.ts'

const removals = (changes: Partial<Evidence>) => {
  const evidence = makeEvidence(changes)
  return readRemovals(evidence, readEnding(evidence))
}
const manners = (changes: Partial<Evidence>) => removals(changes).map(({ manner }) => manner)

const METADATA = { hasBody: false, graceSeconds: null }
const KUBELET = { user: 'system:node:n1', graceSeconds: 0 }
const pod = makePod()

describe('a delete in the audit log', () => {
  it('names the requester, the time and the grace', () => {
    expect(removals({ pod, auditLog: [makeAudit({ graceSeconds: 30 })] })).toMatchObject([
      {
        by: 'user:alice',
        at: second(500),
        manner: 'ordinary',
        isAfterEnd: false,
        fact: { source: 'kubernetes/audit', text: 'alice deleted the pod with a grace of 30 s' },
      },
    ])
  })

  it.each([
    ['with grace 0 is forced', [makeAudit({ graceSeconds: 0 })], ['forced']],
    ['without a grace in its body is ordinary', [makeAudit()], ['ordinary']],
    [
      'that the kubelet finished is ordinary, whatever it says',
      [makeAudit({ graceSeconds: 0 }), makeAudit({ ...KUBELET, at: 530 })],
      ['ordinary'],
    ],
    [
      'is not finished by what the kubelet did before it',
      [makeAudit({ graceSeconds: 0 }), makeAudit({ ...KUBELET, at: 490 })],
      ['forced'],
    ],
    [
      'is not finished by the delete of another',
      [makeAudit({ graceSeconds: 0 }), makeAudit({ at: 530, user: 'bob' })],
      ['forced', 'ordinary'],
    ],
    ['of the kubelet alone is nobody', [makeAudit(KUBELET)], []],
  ])('at the level Request %s', (_what, audit, expected) => {
    expect(manners({ pod, auditLog: audit })).toEqual(expected)
  })

  it.each([
    ['is forced when the kubelet never finished it', [makeAudit(METADATA)], looking('kubernetes/audit'), ['forced']],
    [
      'is ordinary when the kubelet finished it',
      [makeAudit(METADATA), makeAudit({ ...METADATA, ...KUBELET, at: 531 })],
      looking('kubernetes/audit'),
      ['ordinary'],
    ],
    ['is unknown when the log ends too early', [makeAudit(METADATA)], looking(['kubernetes/audit', 0, 589]), [null]],
    [
      'is known when the log goes on for a while',
      [makeAudit(METADATA)],
      looking(['kubernetes/audit', 0, 590]),
      ['forced'],
    ],
    ['is unknown when nobody knows how far the log goes', [makeAudit(METADATA)], new Map(), [null]],
    [
      'is ordinary when the address has a grace',
      [makeAudit({ ...METADATA, graceSeconds: 30 })],
      new Map(),
      ['ordinary'],
    ],
    ['is forced when the address has grace 0', [makeAudit({ ...METADATA, graceSeconds: 0 })], new Map(), ['forced']],
  ])('at the level Metadata %s', (_what, audit, sources, expected) => {
    expect(manners({ pod, auditLog: audit, sources })).toEqual(expected)
  })

  it.each([
    [
      'the object is marked with a grace that still runs',
      makePod({ deletedAt: second(560), graceSeconds: 60 }),
      'ordinary',
    ],
    ['the object went with a grace of 0', makePod({ deletedAt: second(500), graceSeconds: 0 }), 'forced'],
    ['nobody knows the grace of a pod that is gone', null, null],
  ])('at the level Metadata is shown by the object: %s', (_what, object, expected) => {
    const audit = [makeAudit({ ...METADATA, uid: SUBJECT.uid })]
    const [first] = removals({ pod: object, auditLog: audit, sources: looking(['kubernetes/audit', 0, 520]) })
    expect(first?.manner).toBe(expected)
  })

  it.each([
    ['an eviction is ordinary', { verb: 'create', subresource: 'eviction', ...METADATA }, ['ordinary']],
    ['an eviction that was refused is nothing', { verb: 'create', subresource: 'eviction', status: 429 }, []],
    ['a delete of every pod is ordinary', { verb: 'deletecollection', name: null, ...METADATA }, ['ordinary']],
    ['a delete that was refused is nothing', { status: 403 }, []],
    ['a delete whose answer is not known counts', { status: null }, ['ordinary']],
    ['a change of the pod is nothing', { verb: 'patch' }, []],
    ['an eviction of something else is nothing', { resource: 'nodes', verb: 'create', subresource: 'eviction' }, []],
    ['a read of its evictions is nothing', { verb: 'get', subresource: 'eviction' }, []],
    ['a delete of a part of it is nothing', { subresource: 'ephemeralcontainers' }, []],
    ['a delete of something else is nothing', { resource: 'nodes' }, []],
  ])('%s', (_what, line, expected) => {
    expect(manners({ pod, auditLog: [makeAudit(line)], sources: looking('kubernetes/audit') })).toEqual(expected)
  })

  it.each([
    [{ subresource: 'eviction', verb: 'create' }, 'alice evicted the pod'],
    [{ verb: 'deletecollection' }, 'alice deleted every pod of the namespace'],
    [{}, 'alice deleted the pod'],
  ])('%j is described as: %s', (line, text) => {
    expect(removals({ pod, auditLog: [makeAudit(line)] })[0]?.fact.text).toBe(text)
  })
})

describe('a delete after the end', () => {
  it.each([
    ['is reaping', { pod: endedPod(0), auditLog: [makeAudit({ at: 602, graceSeconds: 0 })] }, true],
    ['by less than clocks differ is not', { pod: endedPod(0), auditLog: [makeAudit({ at: 601 })] }, false],
    ['before it is not', { pod: endedPod(0), auditLog: [makeAudit()] }, false],
    ['is not known to be so without a time of the end', { pod, auditLog: [makeAudit({ at: 800 })] }, false],
    [
      'of a silent log is not: the runner may have gone on without a word',
      { pod, log: makeLog(), auditLog: [makeAudit({ at: 800 })] },
      false,
    ],
    [
      'of a log with last words is',
      { pod, log: makeLog(), clues: [logFact('listener-exited')], auditLog: [makeAudit({ at: 800 })] },
      true,
    ],
    [
      'of a log with the last words of another is not',
      {
        pod,
        log: makeLog(),
        clues: [logFact('listener-exited', { about: 'node' })],
        auditLog: [makeAudit({ at: 800 })],
      },
      false,
    ],
    [
      'of a log that only works is not',
      { pod, log: makeLog(), clues: [logFact('job-running')], auditLog: [makeAudit({ at: 800 })] },
      false,
    ],
  ] satisfies readonly (readonly [string, Partial<Evidence>, boolean])[])('%s', (_what, evidence, isAfterEnd) => {
    const [removal] = removals(evidence)
    expect(removal?.isAfterEnd).toBe(isAfterEnd)
    if (isAfterEnd) expect(removal?.manner).toBeNull()
  })
})

describe('a delete of another pod that had the name', () => {
  const gone = { pod: null, auditLog: [makeAudit({ at: -100, graceSeconds: 0 })] }
  const late = { pod: null, auditLog: [makeAudit()] }

  it.each([
    ['before the pod was made', { pod: makePod(), auditLog: gone.auditLog }],
    ['before its job began, where the pod is not known', { ...gone, job: makeJob() }],
    ['before its log began', { ...gone, log: makeLog() }],
    ['before its first event', { ...gone, events: [makeEvent()] }],
    ['before its first line in the journal', { ...gone, clues: [journalFact('container-exit')] }],
    ['at a time that is not known', { pod: makePod(), auditLog: [makeAudit({ at: null })] }],
    ['when nothing shows when the pod lived', late],
    ['when only the node gives a time', { ...late, clues: [journalFact('io-error', { at: 20, about: 'node' })] }],
    ['when only a clue without a journal gives a time', { ...late, clues: [logFact('job-running', { at: 20 })] }],
    ['when only an event of another gives a time', { ...late, events: [makeEvent({ name: 'linux-x2' })] }],
    ['when only an event of its owner gives a time', { ...late, events: [makeEvent({ kind: 'EphemeralRunner' })] }],
    ['with the UID of another', { ...gone, auditLog: [makeAudit({ at: -100, uid: 'another' })], job: makeJob() }],
    ['if nobody has a UID', { ...late, subject: { ...SUBJECT, uid: null } }],
  ] satisfies readonly (readonly [string, Partial<Evidence>])[])('is not counted: %s', (_what, evidence) => {
    expect(removals(evidence)).toEqual([])
  })

  it('is distinguished by the UID, if the line has it', () => {
    expect(manners({ pod: null, auditLog: [makeAudit({ at: -100, uid: UID, graceSeconds: 0 })] })).toEqual(['forced'])
  })

  it.each([
    ['its job', { job: makeJob() }],
    ['its log', { log: makeLog() }],
    ['its events', { events: [makeEvent()] }],
    ['its lines in the journal', { clues: [journalFact('container-exit', { at: 20 })] }],
  ] satisfies readonly (readonly [string, Partial<Evidence>])[])(
    'is not one of a pod that is gone but known by %s',
    (_what, evidence) => {
      expect(removals({ ...evidence, auditLog: [makeAudit()] })).toHaveLength(1)
    },
  )
})

describe('a delete in the journal', () => {
  const REMOVE = 'kubelet.go:2719] "SyncLoop REMOVE" source="api"'
  const seen = (order: number) => journalFact('pod-delete-seen', { order, at: 500 })
  const gone = (order: number, text = REMOVE) => journalFact('pod-object-gone', { order, text })
  const exit = (order: number, name = 'runner') =>
    journalFact('container-exit', { order, fields: { code: '137', name } })

  it.each([
    ['DELETE, end, REMOVE is ordinary', [seen(1), exit(2), gone(3)], 'ordinary', false],
    ['REMOVE before the end is forced', [seen(1), gone(2), exit(3)], 'forced', false],
    ['REMOVE without an end is forced', [seen(1), gone(2)], 'forced', false],
    ['DELETE and an end is ordinary', [seen(1), exit(2)], 'ordinary', false],
    ['DELETE alone is unknown', [seen(1)], null, false],
    ['the end before both is reaping', [exit(1), seen(2), gone(3)], null, true],
    [
      'the end of the runner counts, not that of a sidecar',
      [seen(1), exit(2, 'dind'), gone(3), exit(4)],
      'forced',
      false,
    ],
    ['without the runner the last end counts', [seen(1), exit(2, 'a'), gone(3), exit(4, 'b')], 'forced', false],
    [
      'a status that could not be read is no REMOVE',
      [seen(1), gone(2, 'Failed to get status for pod'), exit(3)],
      'ordinary',
      false,
    ],
  ])('%s', (_what, clues, manner, isAfterEnd) => {
    expect(removals({ clues })).toMatchObject([{ by: null, at: second(500), manner, isAfterEnd }])
  })

  it('of another pod or source does not count', () => {
    expect(removals({ clues: [{ ...seen(1), about: 'node' }] })).toEqual([])
    expect(removals({ clues: [{ ...seen(1), source: 'kubernetes/events' }] })).toEqual([])
    expect(removals({ clues: [gone(1), exit(2)] })).toEqual([])
  })
})

describe('a delete that the object shows', () => {
  const deleted = { deletedAt: second(530), graceSeconds: 30 }
  const dead = (finishedAt: number) => [makeContainer({ state: ended(143, { finishedAt: second(finishedAt) }) })]

  it('was requested one grace period before its time', () => {
    expect(removals({ pod: makePod(deleted) })).toMatchObject([
      {
        by: null,
        at: second(500),
        manner: 'ordinary',
        isAfterEnd: false,
        fact: { is: 'deletion-marked', source: 'kubernetes/pods' },
      },
    ])
  })

  it('is forced if the runner still runs and the grace is 0', () => {
    expect(manners({ pod: makePod({ ...deleted, graceSeconds: 0 }) })).toEqual(['forced'])
  })

  it('is graceful with grace 0 if the runner has ended: the kubelet itself deletes like that', () => {
    expect(manners({ pod: makePod({ deletedAt: second(END + 1), graceSeconds: 0, containers: dead(END) }) })).toEqual([
      'ordinary',
    ])
  })

  it('is clean-up if it came well after the end', () => {
    const at = (graceSeconds: number, deletedAt: number) =>
      removals({ pod: makePod({ deletedAt: second(deletedAt), graceSeconds, containers: dead(END) }) })
    expect(at(0, END + 6)).toMatchObject([{ manner: null, isAfterEnd: true }])
    expect(at(0, END + 5)).toMatchObject([{ manner: 'ordinary', isAfterEnd: false }])
    expect(at(30, END + 31)).toMatchObject([{ manner: 'ordinary', isAfterEnd: false }])
  })

  it('is none without a deletion time or without an object', () => {
    expect(removals({ pod: makePod() })).toEqual([])
    expect(removals({})).toEqual([])
  })
})
