import { describe, expect, it } from 'vitest'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import type { EventWish } from '#test/recorder/audit-log-event.ts'
import { createAuditLogRing } from './audit-log-ring.ts'

const ALL = { namespaces: null, nodes: null, window: { from: 0, to: null } }
const LIMITS = { lines: 3, characters: 10_000, ageMs: 1000 }

function makeRing(limits = LIMITS, namespaces: ReadonlySet<string> | null = null) {
  const time = { now: 10_000 }
  const ring = createAuditLogRing(namespaces, { now: () => time.now, limits })
  const put = (wish: EventWish, text = String(wish.at)): boolean => {
    const event = auditLogEvent(wish)
    const kept = ring.offer(event, () => text)
    ring.looked(event)
    return kept
  }
  const texts = (scope = ALL): readonly string[] =>
    [...ring.lines(scope)].map((event) => (event.kind === 'line' ? event.text : event.kind))
  return { ring, put, texts, time }
}

describe('the ring of audit events', () => {
  it.each<[string, Partial<EventWish>, boolean]>([
    ['a delete', {}, true],
    [
      'an eviction',
      { verb: 'create', objectRef: { resource: 'pods', subresource: 'eviction', namespace: 'runners', name: 'a' } },
      true,
    ],
    ['a delete of all', { verb: 'deletecollection', objectRef: { resource: 'pods', namespace: 'runners' } }, true],
    ['a cordon', { verb: 'patch', objectRef: { resource: 'nodes', name: 'n1' } }, true],
    ['the end of the namespace', { objectRef: { resource: 'namespaces', name: 'runners' } }, true],
    [
      'what the kubelet reports',
      { verb: 'patch', objectRef: { resource: 'pods', subresource: 'status', namespace: 'runners', name: 'a' } },
      false,
    ],
    [
      'what the kubelet reports of itself',
      { verb: 'patch', objectRef: { resource: 'nodes', subresource: 'status', name: 'n1' } },
      false,
    ],
    ['a read', { verb: 'get' }, false],
    ['another namespace', { namespace: 'web' }, false],
    ['another kind', { objectRef: { resource: 'secrets', namespace: 'runners', name: 'a' } }, false],
    ['a request that has only begun', { stage: 'RequestReceived' }, false],
  ])('keeps %s: %3$s', (_, wish, expected) => {
    expect(makeRing(LIMITS, new Set(['runners'])).put({ at: 5000, ...wish })).toBe(expected)
  })

  it('is complete from the end of the first event, not from its request', () => {
    const { ring, put } = makeRing()
    expect(ring.covered()).toBeNull()
    put({ at: 5000, askedAt: 1000, verb: 'watch' })
    put({ at: 7000 })
    put({ at: 6000 })
    expect(ring.covered()).toEqual({ from: 5000, to: 7000 })
  })

  it('drops the oldest by number, and no longer covers their time', () => {
    const { ring, put, texts } = makeRing()
    for (const at of [5000, 5001, 5002, 5003]) put({ at })
    expect(texts()).toEqual(['5001', '5002', '5003'])
    expect(ring.covered()).toEqual({ from: 5001, to: 5003 })
  })

  it('drops the oldest by size', () => {
    const { ring, put, texts } = makeRing()
    put({ at: 5000 }, 'x'.repeat(6000))
    put({ at: 5001 }, 'y'.repeat(6000))
    expect(texts()).toEqual(['y'.repeat(6000)])
    expect(ring.covered()?.from).toBe(5001)
  })

  it('drops the oldest by age', () => {
    const { ring, put, texts } = makeRing()
    for (const at of [5000, 5500, 6001]) put({ at })
    expect(texts()).toEqual(['5500', '6001'])
    expect(ring.covered()).toEqual({ from: 5001, to: 6001 })
  })

  it('stays bounded over many events', () => {
    const { put, texts } = makeRing()
    for (let at = 1; at <= 1000; at += 1) put({ at })
    expect(texts()).toEqual(['998', '999', '1000'])
  })

  it('returns only what is in scope', () => {
    const { put, texts } = makeRing()
    put({ at: 5000, pod: 'a' })
    put({ at: 5001, pod: 'b' })
    expect(texts({ ...ALL, window: { from: 5001, to: null } })).toEqual(['5001'])
    const scope = { ...ALL, pods: new Set(['a']) }
    expect(texts(scope)).toEqual(['5000'])
  })

  it('covers anew after a gap, and keeps what it has', () => {
    const { ring, put, texts } = makeRing()
    put({ at: 5000 })
    ring.interrupt()
    expect(ring.covered()).toBeNull()
    put({ at: 5500 })
    expect([ring.covered(), texts()]).toEqual([{ from: 5500, to: 5500 }, ['5000', '5500']])
  })

  it.each(['9999-12-31T23:59:59Z', '+275760-09-13T00:00:00Z', '1970-01-01T00:01:00Z'])(
    'takes an event of %s for one of now, and covers the same as without it',
    (date) => {
      const { ring, put, texts, time } = makeRing()
      put({ at: 9500 })
      put({ at: Date.parse(date) }, 'future')
      expect(ring.covered()).toEqual({ from: 9500, to: 10_000 })
      expect(ring.aheadMs()).toBe(Date.parse(date) - 10_000)
      time.now = 10_400
      for (const at of [10_100, 10_200, 10_300]) put({ at })
      expect(texts()).toEqual(['10100', '10200', '10300'])
      expect(ring.covered()).toEqual({ from: 10_001, to: 10_300 })
    },
  )

  it('believes an event of a clock that is a little ahead', () => {
    const { ring, put } = makeRing()
    put({ at: 9500 })
    put({ at: 15_000, verb: 'get' })
    expect([ring.covered(), ring.aheadMs()]).toEqual([{ from: 9500, to: 15_000 }, null])
  })

  it.each(['never', '-000001-01-01T00:00:00Z', 'NaN', '', 9e15, -1, null])('ignores the date %j', (date) => {
    const { ring, put } = makeRing()
    put({ at: 9500 })
    const event = { ...auditLogEvent({ at: 1 }), stageTimestamp: date, requestReceivedTimestamp: date }
    expect(ring.offer(event, () => 'odd')).toBe(false)
    ring.looked(event)
    expect(ring.covered()).toEqual({ from: 9500, to: 9500 })
  })
})
