import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { decideStamp } from './decide-stamp.ts'
import type { StampFacts } from './decide-stamp.ts'

const BLIND = blind('timeout', 'no answer')
const JOB = seen('job "build" of acme/app')
const BUSY = seen({ isBusy: true })
const IDLE = seen({ isBusy: false })

const LIVES = ['running', 'waiting', 'ended', 'absent', 'unknown'] as const
const JOBS = { job: JOB, none: none(), blind: BLIND } as const
const GITHUB = { busy: BUSY, idle: IDLE, absent: none(), blind: BLIND } as const

/** There are few enough to look at every one. */
const EVERY: readonly StampFacts[] = LIVES.flatMap((life) =>
  Object.values(JOBS).flatMap((recordedJob) =>
    Object.values(GITHUB).flatMap((github) =>
      [null, 'node 7 burns'].flatMap((breakGlass) =>
        [true, false].map((isStamped) => ({ life, recordedJob, github, breakGlass, isStamped })),
      ),
    ),
  ),
)

type Row = readonly [
  life: StampFacts['life'],
  job: keyof typeof JOBS,
  github: keyof typeof GITHUB,
  bare: string,
  stamped: string,
]

describe('the stamp of a working runner', () => {
  it.each<Row>([
    ['running', 'job', 'busy', 'set', 'keep'],
    ['running', 'job', 'blind', 'set', 'keep'],
    ['running', 'none', 'busy', 'set', 'keep'],
    ['running', 'blind', 'busy', 'set', 'keep'],
    // ARC never clears a job: GitHub knows that it has ended.
    ['running', 'job', 'idle', 'keep', 'clear'],
    ['running', 'job', 'absent', 'keep', 'clear'],
    ['running', 'none', 'idle', 'keep', 'clear'],
    ['running', 'none', 'blind', 'leave', 'leave'],
    ['running', 'blind', 'blind', 'leave', 'leave'],
    ['ended', 'job', 'busy', 'keep', 'clear'],
    ['ended', 'blind', 'blind', 'keep', 'clear'],
    ['waiting', 'job', 'blind', 'keep', 'clear'],
    ['absent', 'job', 'busy', 'keep', 'clear'],
    ['unknown', 'job', 'busy', 'leave', 'leave'],
  ])('of one that is %s, with the record %s and GitHub %s: bare %s, stamped %s', (...row) => {
    const [life, job, github, bare, stamped] = row
    const facts = { life, recordedJob: JOBS[job], github: GITHUB[github], breakGlass: null }
    expect(decideStamp({ ...facts, isStamped: false }).kind).toBe(bare)
    expect(decideStamp({ ...facts, isStamped: true }).kind).toBe(stamped)
  })

  it('goes from every runner that is done or dead, whatever else is known', () => {
    const done = EVERY.filter(({ life, isStamped }) => isStamped && ['ended', 'waiting', 'absent'].includes(life))
    expect(new Set(done.map((facts) => decideStamp(facts).kind))).toEqual(new Set(['clear']))
  })

  it('is never put on a runner that does not run', () => {
    const others = EVERY.filter(({ life }) => life !== 'running')
    expect(others.map((facts) => decideStamp(facts).kind)).not.toContain('set')
  })

  it('stays on a running runner of which nothing can be seen', () => {
    const unseen = EVERY.filter(
      ({ life, github, breakGlass, isStamped }) =>
        isStamped && life === 'running' && github.kind === 'blind' && breakGlass === null,
    )
    expect(unseen.map((facts) => decideStamp(facts).kind)).not.toContain('clear')
  })

  it('goes when somebody breaks the glass, and does not come back', () => {
    const broken = EVERY.filter(({ life, breakGlass }) => life === 'running' && breakGlass !== null)
    for (const facts of broken) {
      expect(decideStamp(facts).kind).toBe(facts.isStamped ? 'clear' : 'keep')
      expect(decideStamp(facts).why).toContain('node 7 burns')
    }
  })

  it('settles: what a decision leads to is kept', () => {
    for (const facts of EVERY) {
      const { kind } = decideStamp(facts)
      if (kind === 'leave') continue
      const isStamped = kind === 'keep' ? facts.isStamped : kind === 'set'
      expect(decideStamp({ ...facts, isStamped }).kind).toBe('keep')
    }
  })
})
