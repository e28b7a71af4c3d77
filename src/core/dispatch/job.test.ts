import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  isParked,
  JOB_STATES,
  JOB_TABLE,
  MOST_RECOVERIES,
  PARKED_UNTIL,
  pauseBeforeRetry,
  pickJobFacts,
  nextJob,
} from './job.ts'
import type { Job, JobEvent, JobEventKind, JobPhase, JobState } from './job.ts'
import { jobFacts } from '#test/core/assignment-world.ts'

const facts = jobFacts(7)
const runner = { id: 41, name: 'pod-a-x1' }

const phases: Readonly<Record<JobState, JobPhase>> = {
  queued: { state: 'queued', notBefore: 0 },
  claimed: { state: 'claimed', slot: 'a', claimedAt: 10 },
  minted: { state: 'minted', slot: 'a', mintedAt: 20 },
  executing: { state: 'executing', runner, startedAt: 30 },
  finished: { state: 'finished', runner, conclusion: 'success', finishedAt: 40 },
}

const events: Readonly<Record<JobEventKind, JobEvent>> = {
  announced: { kind: 'announced', at: 50, facts },
  claimed: { kind: 'claimed', at: 50, slot: 'a' },
  minted: { kind: 'minted', at: 50, slot: 'a' },
  retargeted: { kind: 'retargeted', at: 50, slot: 'b', minted: true },
  returned: { kind: 'returned', at: 50, slot: 'a', reason: 'claim-stale' },
  retried: { kind: 'retried', at: 50 },
  moved: { kind: 'moved', at: 50, scope: 'another' },
  started: { kind: 'started', at: 50, runner: { id: 42, name: 'pod-b-x1' }, facts },
  completed: { kind: 'completed', at: 50, runner, conclusion: 'failure', facts },
}

/** Every state × every event. A dash: the event changes nothing. */
const answers: Readonly<Record<JobState | 'absent', Readonly<Record<JobEventKind, JobState | '-'>>>> = {
  absent: {
    announced: 'queued',
    claimed: '-',
    minted: '-',
    retargeted: '-',
    returned: '-',
    retried: '-',
    moved: '-',
    started: 'executing',
    completed: 'finished',
  },
  queued: {
    announced: '-',
    claimed: 'claimed',
    minted: '-',
    retargeted: '-',
    returned: '-',
    retried: '-',
    moved: 'queued',
    started: 'executing',
    completed: 'finished',
  },
  claimed: {
    announced: '-',
    claimed: '-',
    minted: 'minted',
    retargeted: '-',
    returned: 'queued',
    retried: '-',
    moved: '-',
    started: 'executing',
    completed: 'finished',
  },
  minted: {
    announced: '-',
    claimed: '-',
    minted: '-',
    retargeted: 'minted',
    returned: 'queued',
    retried: '-',
    moved: '-',
    started: 'executing',
    completed: 'finished',
  },
  executing: {
    announced: '-',
    claimed: '-',
    minted: '-',
    retargeted: '-',
    returned: '-',
    retried: '-',
    moved: '-',
    started: 'executing',
    completed: 'finished',
  },
  finished: {
    announced: '-',
    claimed: '-',
    minted: '-',
    retargeted: '-',
    returned: '-',
    retried: '-',
    moved: '-',
    started: '-',
    completed: '-',
  },
}

const jobIn = (state: JobState, recoveries = 0): Job => ({ ...facts, generation: 3, recoveries, ...phases[state] })

describe('a job', () => {
  for (const state of ['absent', ...JOB_STATES] as const) {
    for (const kind of Object.keys(events) as JobEventKind[]) {
      const answer = answers[state][kind]
      it(`that is ${state} ${answer === '-' ? 'ignores' : `becomes ${answer} on`} "${kind}"`, () => {
        const before = state === 'absent' ? null : jobIn(state)
        const after = nextJob(before, events[kind])
        expect(after?.state ?? '-').toBe(answer)
        if (after !== null) expect(after.generation).toBe((before?.generation ?? 0) + 1)
        const scope = kind === 'moved' ? 'another' : before?.scope
        if (after !== null && before !== null) expect(pickJobFacts(after)).toEqual({ ...pickJobFacts(before), scope })
      })
    }
  }

  it('has a named answer for each state and event', () => {
    expect(Object.keys(JOB_TABLE).sort()).toEqual(['absent', ...JOB_STATES].sort())
    for (const row of Object.values(JOB_TABLE)) expect(Object.keys(row).sort()).toEqual(Object.keys(events).sort())
  })

  it('is returned only by the slot that holds its claim', () => {
    const other: JobEvent = { kind: 'returned', at: 50, slot: 'b', reason: 'slot-lost' }
    expect(nextJob(jobIn('claimed'), other)).toBeNull()
    expect(nextJob(jobIn('minted'), other)).toBeNull()
  })

  it('is minted only for the slot that holds its claim', () => {
    expect(nextJob(jobIn('claimed'), { kind: 'minted', at: 50, slot: 'b' })).toBeNull()
  })

  it('is parked after too many recoveries, and never because its runner was given to another job', () => {
    const last = nextJob(jobIn('minted', MOST_RECOVERIES - 1), events.returned)
    expect(last).toMatchObject({ state: 'queued', recoveries: MOST_RECOVERIES })
    expect(last !== null && isParked(last)).toBe(true)
    expect(nextJob(last, { kind: 'claimed', at: Date.UTC(2100, 1), slot: 'a' })).toBeNull()
    const displaced = nextJob(jobIn('minted', 40), { kind: 'returned', at: 50, slot: 'a', reason: 'displaced' })
    expect(displaced).toMatchObject({ notBefore: 50 })
  })

  it('is due at once when somebody retries it, with all its recoveries before it', () => {
    const parked: Job = { ...jobIn('queued', MOST_RECOVERIES), state: 'queued', notBefore: PARKED_UNTIL }
    expect(nextJob(parked, events.retried)).toMatchObject({ state: 'queued', notBefore: 0, recoveries: 0 })
    expect(nextJob({ ...parked, notBefore: 49 }, events.retried)).toBeNull()
  })

  it('that is parked still follows GitHub', () => {
    const parked: Job = { ...jobIn('queued'), state: 'queued', notBefore: PARKED_UNTIL }
    expect(nextJob(parked, events.started)?.state).toBe('executing')
    expect(nextJob(parked, events.completed)?.state).toBe('finished')
  })

  it('cannot be claimed before its back-off is over', () => {
    const waiting: Job = { ...facts, generation: 3, recoveries: 1, state: 'queued', notBefore: 100 }
    expect(nextJob(waiting, { kind: 'claimed', at: 99, slot: 'a' })).toBeNull()
    expect(nextJob(waiting, { kind: 'claimed', at: 100, slot: 'a' })?.state).toBe('claimed')
  })

  it('counts each recovery and waits twice as long after it, up to ten minutes', () => {
    const back = nextJob(jobIn('minted', 2), events.returned)
    expect(back).toMatchObject({ recoveries: 3, notBefore: 50 + 20_000 })
    expect(pauseBeforeRetry('never-registered', 60)).toBe(600_000)
  })

  it('has no back-off if GitHub gave its runner to another job', () => {
    expect(pauseBeforeRetry('displaced', 5)).toBe(0)
  })

  it('follows the latest report of GitHub about its runner, in any order of arrival', () => {
    const other = { id: 42, name: 'pod-b-x1' }
    const executing = jobIn('executing')
    expect(nextJob(executing, { kind: 'started', at: 31, runner: other, facts })).toMatchObject({ runner: other })
    expect(nextJob(executing, { kind: 'started', at: 29, runner: other, facts })).toBeNull()
    expect(nextJob(executing, { kind: 'started', at: 31, runner, facts })).toMatchObject({ runner, startedAt: 31 })
    expect(nextJob(executing, { kind: 'started', at: 30, runner, facts })).toBeNull()
  })

  it('ends up with the same runner for any order of the same starts, even within one second', () => {
    const id = fc.option(fc.nat(3))
    const start = fc.record({ id, name: fc.constantFrom('x', 'y'), at: fc.nat(2) })
    fc.assert(
      fc.property(fc.array(start, { minLength: 2, maxLength: 5 }), (starts) => {
        expect(executingAfter(starts)).toEqual(executingAfter(starts.toReversed()))
      }),
    )
  })

  it("is due as soon as it is announced, even if GitHub's clock is ahead of ours", () => {
    const ahead = jobFacts(7, { queuedAt: 90_000 })
    const queued = nextJob(null, { kind: 'announced', at: 90_000, facts: ahead })
    expect(nextJob(queued, { kind: 'claimed', at: 50, slot: 'a' })?.state).toBe('claimed')
  })

  it('keeps its runner if the completion names no runner or no id', () => {
    const completed = { kind: 'completed', at: 50, conclusion: 'cancelled', facts } as const
    expect(nextJob(jobIn('executing'), { ...completed, runner: null })).toMatchObject({ runner })
    const nameOnly = { id: null, name: runner.name }
    expect(nextJob(jobIn('executing'), { ...completed, runner: nameOnly })).toMatchObject({ runner })
    const other = { id: null, name: 'pod-b-x1' }
    expect(nextJob(jobIn('executing'), { ...completed, runner: other })).toMatchObject({ runner: other })
    expect(nextJob(jobIn('minted'), { ...completed, runner: null })).toMatchObject({ runner: null })
  })
})

function executingAfter(starts: readonly { readonly id: number | null; readonly name: string; readonly at: number }[]) {
  let job: Job | null = null
  for (const { at, ...runner } of starts) job = nextJob(job, { kind: 'started', at, runner, facts }) ?? job
  return job?.state === 'executing' ? { runner: job.runner, startedAt: job.startedAt } : null
}
