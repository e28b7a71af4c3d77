import { systemClock } from '#/adapters/clock.ts'
import { describe, expect, it } from 'vitest'
import type { LogEvent } from '#/ports/kubernetes.ts'
import { createEventCache } from './event-cache.ts'
import { followLogs } from './log-followers.ts'
import { createLogRing } from './log-ring.ts'
import { createWorkQueue } from '#/runtime/queue/work-queue.ts'
import { podEvent, runnerPod } from '#test/recorder/fake-cluster.ts'

const log = (pod: string) => ({ namespace: 'n', pod, container: 'runner' })
const unstopped = new AbortController().signal

function saying(...texts: readonly string[]) {
  return {
    followLog: async function* (): AsyncGenerator<LogEvent> {
      for (const text of texts) yield { kind: 'line', at: 't', text, cut: false }
      yield { kind: 'ended', why: 'container-ended' }
    },
  }
}

describe('the ring of a log', () => {
  it('holds everything up to its size, and is not cut', () => {
    const ring = createLogRing(4)
    ring.take('a\n')
    ring.take('b\n')
    expect(ring.tail()).toEqual({ text: 'a\nb\n', cut: false })
  })

  it('drops whole lines beyond it', () => {
    const ring = createLogRing(4)
    for (const text of ['a\n', 'b\n', 'c\n']) ring.take(text)
    expect([ring.tail(), ring.held()]).toEqual([{ text: 'b\nc\n', cut: true }, 4])
  })

  it('keeps the end of a line that is longer than all of it', () => {
    const ring = createLogRing(4)
    ring.take('abcdefg\n')
    expect(ring.tail()).toEqual({ text: 'efg\n', cut: true })
  })

  it('stays within its size over many lines', () => {
    const ring = createLogRing(100)
    let held = 0
    for (let index = 0; index < 10_000; index += 1) held += ring.take(`${index}\n`)
    expect([held, ring.held() <= 100, ring.tail().text.endsWith('9999\n')]).toEqual([ring.held(), true, true])
  })
})

describe('following logs', () => {
  it('returns what was read', async () => {
    const followers = followLogs(
      saying('one', 'two'),
      { clock: systemClock, logBytes: 100, mostStreams: 1, mostRingBytes: 100 },
      unstopped,
    )
    followers.follow('u', log('p'))
    await followers.ended('u')
    expect(followers.heard('u')).toEqual({ kind: 'seen', value: { text: 't one\nt two\n', cut: false } })
    followers.stop('u')
    expect([followers.bytes(), followers.streams(), followers.heard('u').kind]).toEqual([0, 0, 'blind'])
  })

  it('returns nothing for a runner without output', async () => {
    const followers = followLogs(
      saying(),
      { clock: systemClock, logBytes: 100, mostStreams: 1, mostRingBytes: 100 },
      unstopped,
    )
    followers.follow('u', log('p'))
    await followers.ended('u')
    expect(followers.heard('u')).toEqual({ kind: 'none' })
  })

  it('is blind beyond the most streams, and says so', () => {
    const followers = followLogs(
      saying('x'),
      { clock: systemClock, logBytes: 100, mostStreams: 1, mostRingBytes: 100 },
      unstopped,
    )
    followers.follow('a', log('a'))
    followers.follow('b', log('b'))
    expect(followers.heard('b')).toMatchObject({ kind: 'blind', reason: { code: 'refused-by-limits' } })
  })

  it('is blind where all rings together hold too much, and frees the memory', async () => {
    const followers = followLogs(
      saying('long enough'),
      { clock: systemClock, logBytes: 100, mostStreams: 9, mostRingBytes: 20 },
      unstopped,
    )
    followers.follow('a', log('a'))
    await followers.ended('a')
    followers.follow('b', log('b'))
    await followers.ended('b')
    await Promise.resolve()
    expect([followers.heard('a').kind, followers.heard('b')]).toMatchObject([
      'seen',
      { reason: { code: 'refused-by-limits' } },
    ])
    expect(followers.bytes()).toBeLessThanOrEqual(20)
  })
})

describe('following logs to their end', () => {
  it('does not count lines after the stop', async () => {
    const limits = { clock: systemClock, logBytes: 100, mostStreams: 9, mostRingBytes: 1000 }
    const followers = followLogs(saying('one', 'two', 'three'), limits, unstopped)
    followers.follow('u', log('p'))
    const over = followers.ended('u')
    await Promise.resolve()
    followers.stop('u')
    await over
    expect(followers.bytes()).toBe(0)
  })
})

describe('following the log of a pod whose name is reused', () => {
  it('ends when a new pod has the name, and keeps what was read before', async () => {
    const heard: LogEvent = { kind: 'line', at: 't', text: 'own', cut: false }
    const followLog = async function* (_: unknown, signal: AbortSignal): AsyncGenerator<LogEvent> {
      yield heard
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    }
    const limits = { clock: systemClock, logBytes: 100, mostStreams: 9, mostRingBytes: 1000 }
    const followers = followLogs({ followLog }, limits, unstopped)
    followers.follow('old', log('p'))
    followers.meet('old', { namespace: 'n', name: 'p' })
    followers.meet('other', { namespace: 'n', name: 'q' })
    await new Promise((resolve) => setImmediate(resolve))
    expect(followers.streams()).toBe(1)
    followers.meet('new', { namespace: 'n', name: 'p' })
    await followers.ended('old')
    expect([followers.streams(), followers.heard('old')]).toEqual([
      0,
      { kind: 'seen', value: { text: 't own\n', cut: false } },
    ])
    followers.stop('old')
    expect(followers.bytes()).toBe(0)
  })
})

describe('the cache of events', () => {
  const event = (pod: string, reason: string) => podEvent(runnerPod({ name: pod }), reason, '')

  it('keeps the latest of each event by pod', () => {
    const cache = createEventCache(10, () => true)
    for (const one of [event('a', 'Started'), event('a', 'Started'), event('a', 'Killing'), event('b', 'Started')])
      cache.take(one)
    expect([cache.of('uid-a', null).length, cache.size()]).toEqual([2, 3])
  })

  it('drops the events of other pods first', () => {
    const cache = createEventCache(2, (uid) => uid === 'uid-a')
    for (const name of ['a', 'x', 'y', 'z']) cache.take(event(name, 'Started'))
    expect([cache.of('uid-a', null).length, cache.of('uid-x', null).length, cache.size()]).toEqual([1, 0, 2])
  })

  it('is bounded for one pod too, and for pods that are all watched', () => {
    const cache = createEventCache(70, () => true)
    for (let index = 0; index < 100; index += 1) cache.take(event('a', `R${index}`))
    expect(cache.size()).toBe(60)
    for (let index = 0; index < 100; index += 1) cache.take(event(`p${index}`, 'Started'))
    expect(cache.size()).toBeLessThanOrEqual(70)
  })
})

describe('the queue of work', () => {
  it('is bounded, refuses what is too much, and continues after an error', async () => {
    const faults: unknown[] = []
    const queue = createWorkQueue({ mostAtOnce: 2, mostWaiting: 2 }, (error) => faults.push(error))
    let [now, most] = [0, 0]
    const work = async (): Promise<void> => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setTimeout(resolve, 5))
      now -= 1
      throw new Error('no')
    }
    expect([1, 2, 3, 4, 5].map(() => queue.push(work))).toEqual(['taken', 'taken', 'taken', 'taken', 'full'])
    await queue.idle()
    expect([most, faults.length, queue.size()]).toEqual([2, 4, 0])
  })
})
