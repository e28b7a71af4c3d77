import { describe, expect, it } from 'vitest'

import { alignClocks, skewOf } from '#/core/why/align-clocks.ts'
import {
  END,
  RUNNING,
  annotationFact,
  auditOf,
  containerOf,
  controllerFact,
  ended,
  endedPod,
  eventFact,
  eventOf,
  evidenceOf,
  jobOf,
  journalFact,
  logFact,
  logOf,
  podOf,
  second,
} from '#test/why/evidence.ts'

/** The node's clock is this far behind that of the API server. */
const BEHIND = 90
const late = (at: number) => eventOf({ firstAt: second(at), lastAt: second(at), createdAt: second(at + BEHIND) })

describe('the skew between node and API server', () => {
  it('is the median of what the events of the kubelet show', () => {
    const delays = [1, 2, 60].map((delay) => eventOf({ firstAt: second(10), createdAt: second(10 + delay) }))
    expect(skewOf(delays)).toBe(2000)
  })

  it.each([
    ['came again, because a count moves the first time', { count: 2 }],
    ['no kubelet wrote', { host: null }],
    ['have no time of creation', { createdAt: null }],
    ['have no first time', { firstAt: null }],
  ])('is not read from events that %s', (_what, changes) => {
    expect(skewOf([eventOf({ firstAt: second(10), createdAt: second(100), ...changes })])).toBe(0)
  })

  it('is nothing where there is no event', () => {
    expect(skewOf([])).toBe(0)
  })
})

describe('evidence with two clocks', () => {
  it('stays as it is where the clocks differ by less than an event needs on its way', () => {
    const evidence = evidenceOf({ events: [eventOf({ firstAt: second(10), createdAt: second(14.9) })] })
    expect(alignClocks(evidence)).toBe(evidence)
  })

  it('is moved where the node goes ahead, too', () => {
    const evidence = evidenceOf({ events: [eventOf({ firstAt: second(100), createdAt: second(40) })], log: logOf() })
    expect(alignClocks(evidence).log?.lastAt).toBe(second(END - 61))
  })

  it('gets the time of the API server for all that the node dated', () => {
    const moved = alignClocks(
      evidenceOf({
        events: [late(10), eventOf({ host: null, firstAt: second(20) })],
        pod: endedPod(137),
        log: logOf(),
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

  it('keeps the time of what the API server and GitHub dated', () => {
    const given = evidenceOf({
      events: [late(10)],
      pod: podOf({ deletedAt: second(500) }),
      audit: [auditOf()],
      job: jobOf(),
      clues: [annotationFact('shutdown-annotated')],
    })
    const moved = alignClocks(given)
    expect(moved.pod).toMatchObject({ createdAt: second(0), deletedAt: second(500) })
    expect([moved.audit, moved.job, moved.clues]).toEqual([given.audit, given.job, given.clues])
  })

  it('moves running and earlier states, and leaves what has no time', () => {
    const waiting = { kind: 'waiting', reason: 'CrashLoopBackOff', message: null } as const
    const containers = [
      containerOf({ state: RUNNING, last: ended(1, { finishedAt: null }) }),
      containerOf({ name: 'other', state: waiting }),
    ]
    const moved = alignClocks(
      evidenceOf({
        events: [late(10)],
        pod: podOf({ containers }),
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
