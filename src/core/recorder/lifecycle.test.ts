import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ASK_AGAIN_MS,
  DEATH_STATES,
  DEATH_TABLE,
  hasEnded,
  isFinished,
  isStillOpen,
  nextDeath,
  QUEUES,
} from './lifecycle.ts'
import type { DeathEvent, DeathEventKind, DeathPhase, DeathState, StoredDeath } from './lifecycle.ts'

const FRESH = { reported: null, failures: 0 }

const phases: Readonly<Record<DeathState, DeathPhase>> = {
  overdue: { state: 'overdue', askedAt: 0 },
  'never-started': { state: 'never-started', cause: 'image-pull' },
  seen: { state: 'seen', ...FRESH },
  recorded: { state: 'recorded', ...FRESH },
  saved: { state: 'saved', ...FRESH },
  'awaiting-audit-log': { state: 'awaiting-audit-log', ...FRESH },
  gathered: { state: 'gathered', ...FRESH },
  judged: { state: 'judged', cause: 'evicted', ...FRESH },
  notified: { state: 'notified' },
  parked: { state: 'parked', resumes: { state: 'recorded', ...FRESH }, why: 'failed', retryMs: 1000 },
  dismissed: { state: 'dismissed' },
}

const judged: StoredDeath = {
  verdict: { cause: 'evicted', kind: 'platform' },
  isOlder: false,
  isGone: true,
  isSaved: true,
}

const events: Readonly<Record<DeathEventKind, DeathEvent>> = {
  overdue: { kind: 'overdue', at: ASK_AGAIN_MS },
  unwatched: { kind: 'unwatched' },
  ended: { kind: 'ended' },
  refused: { kind: 'refused' },
  postponed: { kind: 'postponed' },
  'nothing-to-record': { kind: 'nothing-to-record' },
  'looked-up': { kind: 'looked-up', stored: judged },
  recorded: { kind: 'recorded' },
  saved: { kind: 'saved' },
  'audit-log-awaited': { kind: 'audit-log-awaited' },
  gathered: { kind: 'gathered' },
  judged: { kind: 'judged', cause: 'evicted' },
  notified: { kind: 'notified' },
  'too-many': { kind: 'too-many' },
  failed: { kind: 'failed' },
  retry: { kind: 'retry' },
  reopened: { kind: 'reopened', reported: 'completed-normally' },
}

const KINDS = Object.keys(events) as DeathEventKind[]

/** Every state × every event; an event that is not named changes nothing. */
const answers: Readonly<
  Record<DeathState | 'absent', Partial<Readonly<Record<DeathEventKind, DeathState | 'forget'>>>>
> = {
  absent: { overdue: 'overdue', ended: 'seen', refused: 'seen' },
  overdue: {
    overdue: 'overdue',
    unwatched: 'forget',
    ended: 'seen',
    'looked-up': 'never-started',
    judged: 'never-started',
  },
  'never-started': { unwatched: 'forget', ended: 'seen' },
  seen: {
    postponed: 'forget',
    'nothing-to-record': 'dismissed',
    'looked-up': 'notified',
    recorded: 'recorded',
    judged: 'judged',
    'too-many': 'parked',
    failed: 'parked',
  },
  recorded: { saved: 'saved', 'too-many': 'parked', failed: 'parked' },
  saved: {
    'audit-log-awaited': 'awaiting-audit-log',
    gathered: 'gathered',
    'too-many': 'parked',
    failed: 'parked',
  },
  'awaiting-audit-log': { gathered: 'gathered', failed: 'parked' },
  gathered: { judged: 'judged', failed: 'parked' },
  judged: { notified: 'notified', failed: 'parked' },
  notified: { reopened: 'saved' },
  parked: { retry: 'recorded' },
  dismissed: {},
}

const look = (stored: StoredDeath | null, reported: string | null = null) =>
  nextDeath({ state: 'seen', reported, failures: 0 }, { kind: 'looked-up', stored })

describe('a death', () => {
  for (const state of ['absent', ...DEATH_STATES] as const) {
    for (const kind of KINDS) {
      const answer = answers[state][kind] ?? 'ignore'
      it(`that is ${state}: ${kind} -> ${answer}`, () => {
        const next = nextDeath(state === 'absent' ? null : phases[state], events[kind])
        expect(typeof next === 'string' ? next : next.state).toBe(answer)
      })
    }
  }

  it('has an answer for each state and event by name, so that none is forgotten', () => {
    expect(Object.keys(DEATH_TABLE).sort()).toEqual(['absent', ...DEATH_STATES].sort())
    for (const row of Object.values(DEATH_TABLE)) expect(Object.keys(row).sort()).toEqual(KINDS.toSorted())
  })

  it('is asked again why it does not start, but not at once', () => {
    const asked: DeathPhase = { state: 'overdue', askedAt: 1000 }
    expect(nextDeath(asked, { kind: 'overdue', at: 1000 + ASK_AGAIN_MS - 1 })).toBe('ignore')
    expect(nextDeath(asked, { kind: 'overdue', at: 1000 + ASK_AGAIN_MS })).toMatchObject({
      askedAt: 1000 + ASK_AGAIN_MS,
    })
  })

  it('is asked again why it does not start where the clock was set back meanwhile', () => {
    const asked: DeathPhase = { state: 'overdue', askedAt: 7_200_000 }
    expect(nextDeath(asked, { kind: 'overdue', at: 1000 })).toMatchObject({ askedAt: 1000 })
  })

  it('keeps the cause that was reported while it could not start until it is judged', () => {
    const path: readonly DeathEvent[] = [
      events.ended,
      events.recorded,
      events.saved,
      events.failed,
      events.retry,
      events['audit-log-awaited'],
      events.gathered,
      events.judged,
    ]
    let phase: DeathPhase = phases['never-started']
    for (const event of path) {
      const next = nextDeath(phase, event)
      if (typeof next === 'string') throw new Error(`${event.kind}: ${next}`)
      phase = next
      if (phase.state !== 'parked') expect(phase).toMatchObject({ reported: 'image-pull' })
    }
    expect(phase).toMatchObject({ state: 'judged', failures: 1 })
  })

  it('is tried again in the state in which it stopped, at once and then less often', () => {
    let phase: DeathPhase = phases.recorded
    const waits: number[] = []
    for (let attempt = 0; attempt < 7; attempt += 1) {
      const parked = nextDeath(phase, events.failed)
      if (typeof parked === 'string' || parked.state !== 'parked') throw new Error('it is not parked')
      waits.push(parked.retryMs)
      const again = nextDeath(parked, events.retry)
      if (typeof again === 'string') throw new Error('it is not tried again')
      phase = again
    }
    expect(waits).toEqual([1000, 5000, 30_000, 120_000, 600_000, 600_000, 600_000])
    expect(phase).toEqual({ state: 'recorded', reported: null, failures: 7 })
    expect(nextDeath(phases.seen, events['too-many'])).toMatchObject({ why: 'too-many' })
  })

  it('that cannot be judged is gathered again: what was gathered is not kept in memory', () => {
    expect(nextDeath(phases.gathered, events.failed)).toMatchObject({ resumes: { state: 'saved', failures: 1 } })
  })

  it('ends in a final state whatever happens, and leaves it only where a clean end is reopened', () => {
    const kinds = fc.array(fc.constantFrom(...KINDS), { maxLength: 40 })
    fc.assert(
      fc.property(kinds, (list) => {
        let phase: DeathPhase | null = null
        for (const kind of list) {
          const next = nextDeath(phase, events[kind])
          if (next === 'ignore') continue
          expect(phase === null || !isFinished(phase) || kind === 'reopened').toBe(true)
          phase = next === 'forget' ? null : next
        }
      }),
    )
  })
})

describe('the state after a restart', () => {
  it('is seen for a death that is not stored', () => {
    expect(look(null)).toBe('ignore')
  })

  it('follows from what is stored for one without a verdict whose pod is gone, and is seen while the pod exists', () => {
    const unjudged: StoredDeath = { verdict: null, isOlder: false, isGone: true, isSaved: false }
    expect(look(unjudged)).toEqual({ state: 'recorded', ...FRESH })
    expect(look({ ...unjudged, isSaved: true })).toEqual({ state: 'saved', ...FRESH })
    expect(look({ ...unjudged, isGone: false })).toBe('ignore')
  })

  it('is notified for one with a verdict: the channels read it from the store', () => {
    expect(look(judged)).toEqual({ state: 'notified' })
    expect(look({ ...judged, isGone: false })).toEqual({ state: 'notified' })
  })

  it('is seen where the stored verdict is about a failed start, and the pod has ended since', () => {
    const verdict = { cause: 'image-pull', kind: 'never-started' }
    const stored: StoredDeath = { verdict, isOlder: true, isGone: true, isSaved: true }
    expect(look(stored)).toEqual({ state: 'seen', reported: 'image-pull', failures: 0 })
    expect(look(stored, 'quota')).toEqual({ state: 'seen', reported: 'quota', failures: 0 })
    expect(look({ ...stored, isOlder: false })).toEqual({ state: 'notified' })
  })

  it('of a pod that cannot start is never-started only with a verdict', () => {
    const unjudged: StoredDeath = { verdict: null, isOlder: false, isGone: false, isSaved: false }
    expect(nextDeath(phases.overdue, { kind: 'looked-up', stored: null })).toBe('ignore')
    expect(nextDeath(phases.overdue, { kind: 'looked-up', stored: unjudged })).toBe('ignore')
  })
})

describe('the queue of a death', () => {
  it('follows from its state alone', () => {
    expect(QUEUES).toEqual({
      overdue: 'gather',
      'never-started': null,
      seen: 'record',
      recorded: 'save',
      saved: 'gather',
      'awaiting-audit-log': 'gather',
      gathered: 'judge',
      judged: 'notify',
      notified: null,
      parked: 'retry',
      dismissed: null,
    })
  })

  it('is none once it is finished', () => {
    const finished = DEATH_STATES.filter((state) => isFinished(phases[state]))
    expect(finished).toEqual(['notified', 'dismissed'])
    expect(DEATH_STATES.filter((state) => !hasEnded(phases[state]))).toEqual(['overdue', 'never-started'])
    expect(hasEnded(null)).toBe(false)
  })
})

describe('a stored death', () => {
  it('is open for ten minutes without a verdict', () => {
    expect(isStillOpen({ verdict: null, recordedAt: 0 }, 599_999)).toBe(true)
    expect(isStillOpen({ verdict: null, recordedAt: 0 }, 600_000)).toBe(false)
    expect(isStillOpen({ verdict: {}, recordedAt: 0 }, 0)).toBe(false)
  })
})
