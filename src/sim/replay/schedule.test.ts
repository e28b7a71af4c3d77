import { describe, expect, it } from 'vitest'
import { createSeeded } from '#/sim/github/world/seeded.ts'
import type { Play } from './play.ts'
import type { Recording } from './recording.ts'
import { createSchedule } from './schedule.ts'

const T0 = Date.parse('2026-06-01T00:00:00Z')
const SECOND = 1000

/** A pod that ran for so many seconds, long ago. */
function makeRecording(name: string, seconds: number): Recording {
  const createdAt = '2026-01-01T00:00:00Z'
  const finishedAt = new Date(Date.parse(createdAt) + seconds * SECOND).toISOString()
  const uid = `00000000-0000-4000-a000-${name.padStart(12, '0')}`
  const subject = { namespace: 'ci', pod: `set-${name}-runner-abcde`, uid }
  const terminated = { exitCode: 1, startedAt: createdAt, finishedAt }
  const pod = {
    metadata: { name: subject.pod, namespace: 'ci', uid, creationTimestamp: createdAt },
    spec: { nodeName: 'recorded-node' },
    status: { phase: 'Failed', containerStatuses: [{ name: 'runner', state: { terminated } }] },
  }
  const files = {
    'meta.json': JSON.stringify({ schemaVersion: 1, collectedAt: finishedAt, subject, sources: {} }),
    'kubernetes/pods.json': JSON.stringify({ items: [pod] }),
  }
  return { name, files: new Map(Object.entries(files)) }
}

const recordings = [makeRecording('1', 10), makeRecording('2', 40), makeRecording('3', 20)]

/** All plays that start within so many seconds, checked five times a second as the replay does. */
function entering(seconds: number, { seed = 1, healthy = 0, paceMs = 10_000 } = {}): readonly Play[] {
  const plays: Play[] = []
  let now = T0
  const nodesInUse = () => new Set(plays.flatMap(({ node, overAt }) => (overAt > now && node !== null ? [node] : [])))
  const plan = {
    recordings,
    opening: '2',
    seeded: createSeeded(seed),
    paceMs,
    healthy,
    startedAt: T0,
    githubUrl: 'http://x',
    nodesInUse,
  }
  const schedule = createSchedule(plan)
  for (; now < T0 + seconds * SECOND; now += 200) schedule.enter(now, (play) => plays.push(play))
  return plays
}

const listEnds = (plays: readonly Play[]): readonly number[] =>
  plays.map(({ endsAt }) => endsAt - T0).toSorted((a, b) => a - b)

describe('the schedule of a replay', () => {
  it('lets the first die within five seconds, and the others at the pace that is asked for', () => {
    // Of the last ones not all have been born.
    const ends = listEnds(entering(300)).filter((end) => end < 280 * SECOND)
    expect(ends[0]).toBeLessThanOrEqual(5 * SECOND)
    const gaps = ends.slice(1).map((end, index) => end - (ends[index] ?? 0))
    expect(gaps.length).toBeGreaterThan(20)
    // Times are moved by whole seconds.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(6 * SECOND)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(14 * SECOND)
  })

  it('opens with the recording that is named, and plays each before one comes again', () => {
    const names = entering(300)
      .toSorted((a, b) => a.endsAt - b.endsAt)
      .map(({ recording }) => recording)
    expect(names[0]).toBe('2')
    expect(new Set(names.slice(0, 3))).toEqual(new Set(['1', '2', '3']))
    expect(new Set(names.slice(3, 6))).toEqual(new Set(['1', '2', '3']))
  })

  it('gives each a name, a UID and a node of its own', () => {
    const plays = entering(120)
    for (const of of [({ pod }: Play) => pod, ({ uid }: Play) => uid]) {
      expect(new Set(plays.map(of)).size).toBe(plays.length)
    }
    for (const play of plays) {
      const beside = plays.filter((other) => other !== play && other.node === play.node)
      expect(
        beside.filter(
          ({ phases: stages, overAt }) => (stages[0]?.at ?? 0) < play.overAt && overAt > (play.phases[0]?.at ?? 0),
        ),
      ).toEqual([])
    }
  })

  it('does not make up for the time in which the machine slept', () => {
    const plays: Play[] = []
    const plan = { recordings, opening: '', seeded: createSeeded(1), paceMs: 1000, healthy: 2, startedAt: T0 }
    const schedule = createSchedule({ ...plan, githubUrl: 'http://x', nodesInUse: () => new Set() })
    const morning = T0 + 12 * 3600 * SECOND
    schedule.enter(T0, () => {})
    schedule.enter(morning, (play) => plays.push(play))
    const late = plays.filter(({ endsAt }) => endsAt > morning - 60 * SECOND)
    expect(late.length).toBeGreaterThan(2)
    expect(plays.length - late.length).toBeLessThan(100)
  })

  it('makes the same choices from the same seed, and others from another', () => {
    const names = (seed: number) => entering(120, { seed, healthy: 3 }).map(({ pod }) => pod)
    expect(names(5)).toEqual(names(5))
    expect(names(5)).not.toEqual(names(6))
  })

  it('always has as many at work that do well as are asked for', () => {
    const healthy = entering(600, { healthy: 24 }).filter(({ recording }) => recording === null)
    for (let now = T0 + 1000; now < T0 + 600_000; now += 7000) {
      const living = healthy.filter(({ phases: stages, endsAt }) => (stages[0]?.at ?? 0) <= now && endsAt > now)
      expect(living.length).toBeGreaterThanOrEqual(23)
    }
  })
})
