import { describe, expect, it } from 'vitest'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import { before, ended, buildEvent, buildPod, running, waits } from '#test/fleets/cluster-parts.ts'
import type { PodCase } from '#test/fleets/cluster-parts.ts'
import { restartsSince } from './daemon-restarts.ts'

const HOUR = Date.parse(before(60))
const counted = (own: PodCase, events: readonly Fields[] = []): number =>
  restartsSince(readPodRecord(buildPod('c', own)), events.map(readEvent), HOUR)
const back = { state: running(1), last: ended(1.1) }

describe('restarts within an hour', () => {
  it.each<readonly [string, number, PodCase, readonly Fields[]]>([
    ['are all of a pod that is younger', 3, { age: 59, restarts: 3, ...back }, []],
    ['are at least one of an older pod that came back in it', 1, { age: 61, restarts: 30, ...back }, []],
    ['are none if it came back before', 0, { age: 900, restarts: 30, state: running(90), last: ended(91) }, []],
    ['are none if it never did', 0, { age: 900, state: running(900) }, []],
    [
      'are as many as its pause shows',
      4,
      {
        age: 900,
        restarts: 30,
        state: waits('CrashLoopBackOff', 'back-off 1m20s restarting failed container=x'),
        last: ended(1),
      },
      [],
    ],
    [
      'are as many as its starts',
      7,
      { age: 900, restarts: 30, ...back },
      [buildEvent('Started', 1, 'c', { count: 7, first: 50 })],
    ],
    [
      'are one less than all starts of a young pod',
      6,
      { age: 50, restarts: 2, ...back },
      [buildEvent('Started', 1, 'c', { count: 7, first: 50 })],
    ],
  ])('%s', (_title, expected, own, events) => {
    expect(counted(own, events)).toBe(expected)
  })
})
