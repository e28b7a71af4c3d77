import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Death } from '#/core/recorder/death.ts'
import { countOnly, emptyOutbox, issue, receive } from './notice-outbox.ts'
import type { NoticeOutbox, NoticeOutboxSettings } from './notice-outbox.ts'
import { groupText, buildText } from './notice-text.ts'
import { countIn, listUids } from './notice.ts'
import type { Notice } from './notice.ts'
import { bucketAfter, createRate } from './rate.ts'
import { NOON_MS } from '#test/github/hand-clock.ts'
import { someDeath } from '#test/notify/some-death.ts'
import { draws } from '#test/tiers/long-run.ts'

const HOUR = 3_600_000
const SETTINGS: NoticeOutboxSettings = {
  settleMs: 20_000,
  windowMs: 40_000,
  followUpMs: 300_000,
  rate: createRate(20, HOUR),
  isPerDeath: false,
  mostWaiting: 1000,
}

type Arrival = { readonly at: number; readonly death: Death }

/** Lets time pass as the outbox asks for it, and hands over what comes meanwhile. */
function issued(arrivals: readonly Arrival[], settings = SETTINGS): readonly Notice[] {
  let coming = arrivals
  const notices: Notice[] = []
  let outbox: NoticeOutbox = emptyOutbox(bucketAfter(settings.rate, 0, 0))
  let now = 0
  for (let turns = 0; turns < 100_000; turns += 1) {
    const arrived = coming.filter(({ at }) => at <= now)
    coming = coming.filter(({ at }) => at > now)
    outbox = receive(
      outbox,
      settings,
      arrived.map(({ death }) => death),
      now,
    )
    const issued = issue(outbox, settings, now)
    outbox = issued.outbox
    if (issued.notice !== null) {
      notices.push(issued.notice)
      continue
    }
    const next = Math.min(...coming.map(({ at }) => at), issued.lookAt ?? Infinity)
    if (next === Infinity) return notices
    now = Math.max(next, now + 1)
  }
  throw new Error('it never comes to an end')
}

const lost = (uid: string, seconds: number, more: Partial<Death> = {}): Death =>
  someDeath(uid, { diedAt: NOON_MS + seconds * 1000, pool: `pool-${uid}`, ...more })
const arriving = (deaths: readonly Death[], at: (index: number) => number): readonly Arrival[] =>
  deaths.map((death, index) => ({ at: at(index), death }))
const headlines = (notices: readonly Notice[]) => notices.map((notice) => buildText(notice).headline)

describe('what a channel sends', () => {
  it('is one notice for a node that took six runners along in 40 s', () => {
    const deaths = ['a', 'b', 'c', 'd', 'e', 'f'].map((uid, index) => lost(uid, index * 8))
    expect(headlines(issued(arriving(deaths, (index) => index * 3000)))).toEqual([
      '6 runners on node n7 in 40 s: node lost',
    ])
  })

  it('waits for the settle time and no longer', () => {
    const [notice] = issued(arriving([lost('a', 0)], () => 500))
    expect(notice).toMatchObject({ issuedAt: 20_500, since: 500 })
    expect(headlines(notice === undefined ? [] : [notice])).toEqual(['arc/runner-a on node n7: node lost'])
  })

  it('is a follow-up for those that join later, at most once in the interval', () => {
    const deaths = ['a', 'b', 'c', 'd'].map((uid, index) => lost(uid, index * 30))
    const notices = issued(arriving(deaths, (index) => index * 30_000))
    expect(headlines(notices)).toEqual([
      'arc/runner-a on node n7: node lost',
      '3 more: 4 runners on node n7 in 1m30s: node lost',
    ])
    expect(notices.map(({ issuedAt }) => issuedAt)).toEqual([20_000, 320_000])
  })

  it('is a new group after the window', () => {
    const deaths = [lost('a', 0), lost('b', 41)]
    expect(headlines(issued(arriving(deaths, (index) => index * 60_000)))).toEqual([
      'arc/runner-a on node n7: node lost',
      'arc/runner-b on node n7: node lost',
    ])
  })

  it('names the causes with their numbers where they differ', () => {
    const causes = ['node-lost', 'node-lost', 'oom-node', 'disk-full', 'lock-lost']
    const deaths = causes.map((cause, index) => lost(`u${index}`, index, { cause }))
    expect(headlines(issued(arriving(deaths, () => 0)))).toEqual([
      '5 runners on node n7 in 4 s: 2 node lost, 1 disk full, 1 lock lost, 1 others',
    ])
  })

  it('over the limit is one group in full and the count of the others when it lifts', () => {
    const deaths = Array.from({ length: 24 }, (_, index) => lost(`u${index}`, index * 100, { node: `n${index}` }))
    const notices = issued(arriving(deaths, () => 0))
    expect(notices.length).toBe(11)
    expect(notices[10]?.issuedAt).toBe(20_000 + SETTINGS.rate.everyMs)
    const { more } = buildText(notices[10] as Notice)
    expect(more).toBe('and 13 more (13 node lost): signalbox deaths --since 2026-11-15T12:18:20Z')
  })

  it('is only a count where there is nothing else', () => {
    const outbox = countOnly(
      emptyOutbox(bucketAfter(SETTINGS.rate, 0, 0)),
      countIn(null, [lost('a', 0), lost('b', 5)]),
      0,
    )
    expect(issue(outbox, SETTINGS, 19_999)).toMatchObject({ notice: null, lookAt: 20_000 })
    const { notice } = issue(outbox, SETTINGS, 20_000)
    expect(headlines(notice === null ? [] : [notice])).toEqual([
      '2 more (2 node lost): signalbox deaths --since 2026-11-15T12:00:00Z',
    ])
  })

  it('is counted only, beyond what may wait', () => {
    const deaths = [lost('a', 0), lost('b', 1), lost('c', 2)]
    const [notice] = issued(
      arriving(deaths, () => 0),
      { ...SETTINGS, mostWaiting: 2 },
    )
    expect([notice?.about?.deaths.length, notice?.more?.count]).toEqual([2, 1])
  })
})

describe('a death that waits while a smaller group of its node is sent', () => {
  it('is sent with its own group, and not as a follow-up', () => {
    const own = (uid: string, node: string, pool: string, cause: string) => someDeath(uid, { node, pool, cause })
    const deaths = [
      own('a', 'n1', 'p', 'oom-node'),
      own('b', 'n1', 'q', 'image-pull'),
      own('c', 'n2', 'q', 'image-pull'),
      own('d', 'n3', 'q', 'image-pull'),
    ]
    expect(headlines(issued(arriving(deaths, (index) => (index === 0 ? 0 : 5))))).toEqual([
      'arc/runner-a on node n1: out of memory (node)',
      '3 runners of pool q within a second: image not pulled',
    ])
  })
})

describe('a channel with one notice for each death', () => {
  const alone = { ...SETTINGS, isPerDeath: true, followUpMs: 20_000, rate: createRate(4, 60_000) }

  it('says of how many it is one, and waits where the limit holds it back', () => {
    const deaths = ['a', 'b', 'c'].map((uid, index) => lost(uid, index))
    const notices = issued(
      arriving(deaths, () => 0),
      alone,
    )
    expect(notices.map(({ about }) => about?.deaths.map(({ uid }) => uid))).toEqual([['a'], ['b'], ['c']])
    expect(notices.map(({ about }) => (about === null ? null : groupText(about)))).toEqual(
      Array.from({ length: 3 }, () => '3 runners on node n7 in 2 s'),
    )
    expect(notices.map(({ issuedAt }) => issuedAt)).toEqual([20_000, 20_000, 40_000])
    expect(notices.every(({ more }) => more === null)).toBe(true)
  })
})

const anyArrivals = fc
  .array(
    fc.record({
      node: fc.constantFrom('n1', 'n2', 'n3', null),
      pool: fc.constantFrom('p', 'q'),
      cause: fc.constantFrom('node-lost', 'oom-node', 'image-pull'),
      at: fc.integer({ min: 0, max: 2 * HOUR }),
      earlier: fc.integer({ min: 0, max: 90_000 }),
    }),
    { maxLength: 60 },
  )
  .map((rows) =>
    rows.map(({ at, earlier, ...row }, index) => ({
      at,
      death: someDeath(`u${index}`, { ...row, diedAt: at - earlier }),
    })),
  )
const anySettings = fc.record({
  limit: fc.integer({ min: 1, max: 25 }),
  mostWaiting: fc.integer({ min: 1, max: 60 }),
  isPerDeath: fc.boolean(),
})

describe('whatever happens', () => {
  it('each death is sent once, or counted once, and never more than the limit within an hour', () => {
    fc.assert(
      fc.property(anyArrivals, anySettings, (arrivals, { limit, mostWaiting, isPerDeath }) => {
        const room = isPerDeath ? 1000 : mostWaiting
        const settings = { ...SETTINGS, isPerDeath, mostWaiting: room, rate: createRate(limit, HOUR) }
        const notices = issued(arrivals, settings)
        const counted = notices.flatMap(({ more }) => (more === null ? [] : [more.count]))
        const alone = notices.flatMap(({ about }) => about?.deaths ?? [])
        expect(alone.length + counted.reduce((sum, count) => sum + count, 0)).toBe(arrivals.length)
        expect(notices.flatMap(listUids).toSorted()).toEqual(arrivals.map(({ death }) => death.uid).toSorted())
        for (const { issuedAt: start } of notices) {
          const within = notices.filter(({ issuedAt }) => issuedAt >= start && issuedAt < start + HOUR)
          expect(within.length).toBeLessThanOrEqual(limit)
        }
        expect(new Set(notices.map(({ id }) => id)).size).toBe(notices.length)
      }),
      { numRuns: draws(200) },
    )
  })

  it('the order in which deaths come within the settle time does not change the text', () => {
    fc.assert(
      fc.property(
        anyArrivals,
        fc.array(fc.integer({ min: 1, max: 19_000 }), { minLength: 60, maxLength: 60 }),
        (arrivals, times) => {
          const deaths = arrivals.map(({ death }) => death)
          // The first comes at the same time in both, because it starts the clock.
          const one = issued(
            arriving(deaths, (index) => (index === 0 ? 0 : 5)),
            { ...SETTINGS, rate: createRate(1000, HOUR) },
          )
          const other = issued(
            arriving(deaths, (index) => (index === 0 ? 0 : (times[index] ?? 1))),
            { ...SETTINGS, rate: createRate(1000, HOUR) },
          )
          expect(headlines(other).toSorted()).toEqual(headlines(one).toSorted())
        },
      ),
    )
  })
})
