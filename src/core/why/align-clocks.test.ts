import { describe, expect, it } from 'vitest'

import { alignClocks, computeDeleteSkew, computeSkew } from '#/core/why/align-clocks.ts'
import {
  END,
  RUNNING,
  annotationFact,
  makeAudit,
  makeContainer,
  controllerFact,
  ended,
  endedPod,
  eventFact,
  makeEvent,
  makeEvidence,
  makeJob,
  journalFact,
  logFact,
  makeLog,
  makePod,
  second,
} from '#test/why/evidence.ts'

/** The node's clock is this far behind that of the API server. */
const BEHIND = 90
const late = (at: number) => makeEvent({ firstAt: second(at), lastAt: second(at), createdAt: second(at + BEHIND) })

describe('the skew between node and API server', () => {
  it('is the median over the kubelet events', () => {
    const delays = [1, 2, 60].map((delay) => makeEvent({ firstAt: second(10), createdAt: second(10 + delay) }))
    expect(computeSkew(delays)).toBe(2000)
  })

  it.each([
    ['repeated, because a count changes the first time', { count: 2 }],
    ['no kubelet wrote', { host: null }],
    ['have no time of creation', { createdAt: null }],
    ['have no first time', { firstAt: null }],
  ])('is not read from events that %s', (_what, changes) => {
    expect(computeSkew([makeEvent({ firstAt: second(10), createdAt: second(100), ...changes })])).toBe(0)
  })

  it('is 0 without events', () => {
    expect(computeSkew([])).toBe(0)
  })
})

describe('the skew by the delete of the pod', () => {
  const seen = journalFact('pod-delete-seen', { at: 770 })

  it.each([
    ['is the time between its request and the line of the kubelet', [makeAudit({ at: 600 })], [seen], -170_000],
    ['is none if the kubelet was only late', [makeAudit({ at: 730 })], [seen], 0],
    ['is none after an hour', [makeAudit({ at: -3000 })], [seen], 0],
    ['is none if it was requested twice', [makeAudit({ at: 600 }), makeAudit({ at: 610 })], [seen], 0],
    ['is none if the request was refused', [makeAudit({ at: 600, status: 403 })], [seen], 0],
    ['is none if the kubelet itself removed it', [makeAudit({ at: 600, user: 'system:node:n1' })], [seen], 0],
    ['is none if it is about another pod', [makeAudit({ at: 600 })], [{ ...seen, about: 'node' as const }], 0],
  ])('%s', (_what, auditLog, clues, skew) => {
    expect(computeDeleteSkew({ auditLog, clues })).toBe(skew)
  })
})

describe('evidence with two clocks', () => {
  it('stays unchanged if the clocks differ by less than the delay of an event', () => {
    const evidence = makeEvidence({ events: [makeEvent({ firstAt: second(10), createdAt: second(14.9) })] })
    expect(alignClocks(evidence)).toBe(evidence)
  })

  it('is also shifted if the node clock is ahead', () => {
    const evidence = makeEvidence({
      events: [makeEvent({ firstAt: second(100), createdAt: second(40) })],
      log: makeLog(),
    })
    expect(alignClocks(evidence).log?.lastAt).toBe(second(END - 61))
  })

  it('shifts all times of the node to the API server clock', () => {
    const moved = alignClocks(
      makeEvidence({
        events: [late(10), makeEvent({ host: null, firstAt: second(20) })],
        pod: endedPod(137),
        log: makeLog(),
        clues: [journalFact('oom-kill'), logFact('job-running'), eventFact('probe-failed')],
        boots: [{ id: 'a', from: second(0), to: second(100) }],
      }),
    )
    expect(moved.events.map(({ firstAt }) => firstAt)).toEqual([second(10 + BEHIND), second(20)])
    expect(moved.pod?.startedAt).toBe(second(5 + BEHIND))
    expect(moved.pod?.containers[0]?.state).toMatchObject({
      startedAt: second(10 + BEHIND),
      finishedAt: second(END + BEHIND),
    })
    expect(moved.log).toMatchObject({ firstAt: second(12 + BEHIND), lastAt: second(END - 1 + BEHIND) })
    expect(moved.clues.map(({ at }) => at)).toEqual([END, END, END].map((at) => second(at + BEHIND)))
    expect(moved.boots).toEqual([{ id: 'a', from: second(BEHIND), to: second(100 + BEHIND) }])
  })

  it('keeps the times of the API server and GitHub', () => {
    const given = makeEvidence({
      events: [late(10)],
      pod: makePod({ deletedAt: second(500) }),
      auditLog: [makeAudit()],
      job: makeJob(),
      clues: [annotationFact('shutdown-annotated')],
    })
    const moved = alignClocks(given)
    expect(moved.pod).toMatchObject({ createdAt: second(0), deletedAt: second(500) })
    expect([moved.auditLog, moved.job, moved.clues]).toEqual([given.auditLog, given.job, given.clues])
  })

  it('shifts running and earlier states, and leaves states without a time', () => {
    const waiting = { kind: 'waiting', reason: 'CrashLoopBackOff', message: null } as const
    const containers = [
      makeContainer({ state: RUNNING, last: ended(1, { finishedAt: null }) }),
      makeContainer({ name: 'other', state: waiting }),
    ]
    const moved = alignClocks(
      makeEvidence({
        events: [late(10)],
        pod: makePod({ containers }),
        clues: [controllerFact('orphan-reaped', { at: null })],
      }),
    )
    expect(moved.pod?.containers).toMatchObject([
      { state: { startedAt: second(10 + BEHIND) }, last: { startedAt: second(10 + BEHIND), finishedAt: null } },
      { state: waiting },
    ])
    expect(moved.clues[0]?.at).toBeNull()
  })
})
