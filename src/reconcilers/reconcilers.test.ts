import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seen } from '#/core/basics/observed.ts'
import { decideAssignment } from '#/core/dispatch/assignment.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { decideRecovery, LOOP_IDS } from '#/core/recovery/recovery.ts'
import type { Recovery } from '#/core/recovery/recovery.ts'
import { readSlotPod } from '#/core/recovery/slot-pod.ts'
import {
  atGitHub,
  BLIND,
  claimedJob,
  endedSlot,
  executingJob,
  listed,
  mintedJob,
  mintedSlot,
  NONE,
  NOW,
  queuedJob,
  RUNNER,
} from '#test/recovery/examples.ts'
import { deadRunners } from './dead-runners.ts'
import { idleRegistrations } from './idle-registrations.ts'
import { LOOPS } from './index.ts'
import { missingPods } from './missing-pods.ts'
import { staleClaims } from './stale-claims.ts'
import { staleQueue } from './stale-queue.ts'
import { unregisteredRunners } from './unregistered-runners.ts'
import type { UnregisteredRunner } from './unregistered-runners.ts'

const MINUTE = 60_000
const THERE = readSlotPod(mintedSlot(), null, NOW)
const GONE = readSlotPod(endedSlot(), null, NOW)

/** What would happen, or what refuses: `job-returned`, `refused by due`, `blind at github-job`. */
function sum(recovery: Recovery): string {
  const { decision, decidedBy } = decideRecovery(recovery)
  if (decision !== 'would-remove') return `${decision} by ${decidedBy}`
  return recovery.action?.kind === 'record' ? recovery.action.happening.kind : (recovery.action?.kind ?? '')
}

it('lists every loop once, in the order of the contract', () => {
  expect(LOOPS.map(({ id }) => id)).toEqual(LOOP_IDS)
})

describe('stale-claims', () => {
  it.each([
    ['a claim within the deadline of its mint', 39_999, THERE, 'refused by claim-stale'],
    ['a claim beyond it', 40_000, THERE, 'job-returned'],
    ['a claim whose pod is gone', 1_000, GONE, 'job-returned'],
  ])('%s', (_title, age, pod, outcome) => {
    expect(sum(staleClaims.decide({ job: claimedJob(age), pod, afterMs: 40_000 }, NOW))).toBe(outcome)
  })
})

describe('unregistered-runners', () => {
  const base: UnregisteredRunner = {
    job: mintedJob(5 * MINUTE),
    slot: mintedSlot(),
    pod: THERE,
    afterMs: 5 * MINUTE,
    atGitHub: atGitHub('queued'),
    runner: listed(),
  }
  const gone = { slot: endedSlot(), pod: GONE, job: mintedJob(MINUTE) }
  it.each<[string, Partial<UnregisteredRunner>, string]>([
    ['queued at GitHub, its runner offline', {}, 'job-returned'],
    ['queued, its runner not listed', { runner: NONE }, 'job-returned'],
    ['queued, minted a moment ago', { job: mintedJob(MINUTE) }, 'refused by due'],
    ['queued, its runner busy', { runner: listed({ online: true, busy: true }) }, 'refused by runner-away'],
    ['queued, its runner offline and busy', { runner: listed({ busy: true }) }, 'refused by runner-away'],
    ['queued, its runner online and idle', { runner: listed({ online: true }) }, 'slot-registered'],
    ['queued, the runners blind', { runner: BLIND }, 'blind by runner-away'],
    ['queued, its pod gone', gone, 'job-returned'],
    ['queued, its pod gone, the runners blind', { ...gone, runner: BLIND }, 'job-returned'],
    ['queued, its pod gone, its runner busy', { ...gone, runner: listed({ busy: true }) }, 'refused by runner-away'],
    ['in progress on our runner', { atGitHub: atGitHub('in_progress', { runner: RUNNER }) }, 'job-started'],
    ['in progress, its pod gone', { ...gone, atGitHub: atGitHub('in_progress', { runner: RUNNER }) }, 'job-started'],
    ['in progress on nobody', { atGitHub: atGitHub('in_progress') }, 'refused by github-job'],
    ['completed', { atGitHub: atGitHub('completed', { conclusion: 'success' }) }, 'job-completed'],
    ['502', { atGitHub: BLIND }, 'blind by github-job'],
    ['502, its pod gone', { ...gone, atGitHub: BLIND }, 'blind by github-job'],
    ['a status that nobody knows', { atGitHub: atGitHub('paused') }, 'refused by github-job'],
    ['no such job any more', { atGitHub: NONE }, 'job-completed'],
  ])('%s', (_title, change, outcome) => {
    expect(sum(unregisteredRunners.decide({ ...base, ...change }, NOW))).toBe(outcome)
  })

  const anything = fc.record({
    job: fc.nat(20 * MINUTE).map(mintedJob),
    slot: fc.constantFrom(mintedSlot(), endedSlot(), null),
    atGitHub: fc.constantFrom(
      ...['queued', 'waiting', 'in_progress', 'completed', 'paused'].map((status) => atGitHub(status)),
      atGitHub('in_progress', { runner: RUNNER }),
      atGitHub('in_progress', { runner: { id: 9, name: 'other' } }),
      BLIND,
      NONE,
    ),
    runner: fc.oneof(fc.record({ online: fc.boolean(), busy: fc.boolean() }).map(listed), fc.constantFrom(BLIND, NONE)),
  })
  const decideAny = (drawn: typeof anything extends fc.Arbitrary<infer T> ? T : never) => {
    const candidate = { ...drawn, pod: readSlotPod(drawn.slot, null, NOW), afterMs: 5 * MINUTE }
    return unregisteredRunners.decide(candidate, NOW)
  }

  it('never returns a job unless GitHub itself says that it waits, and never one whose runner is busy', () => {
    fc.assert(
      fc.property(anything, (drawn) => {
        if (sum(decideAny(drawn)) !== 'job-returned') return
        expect(drawn.atGitHub.kind === 'seen' && drawn.atGitHub.value.status).toMatch(/queued|waiting/u)
        expect(drawn.runner.kind === 'seen' && drawn.runner.value.busy).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })

  it('changes nothing when it is done twice, late, or about another pod', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 9 }), (drawn, later) => {
        const { action } = decideAny(drawn)
        if (action?.kind !== 'record' || action.happening.kind !== 'job-returned') return
        const involved = { slot: drawn.slot, meantForJob: null, meantForSlot: null }
        const { happening } = action
        const [first] = decideAssignment(happening, { ...involved, job: drawn.job }).jobs
        const after: Job | null = first?.after ?? null
        expect(after).toMatchObject({ state: 'queued', recoveries: 1 })
        expect(decideAssignment(happening, { ...involved, job: after }).jobs).toEqual([])
        const claimedAgain = { ...drawn.job, generation: drawn.job.generation + later }
        expect(decideAssignment(happening, { ...involved, job: claimedAgain }).jobs).toEqual([])
        expect(decideAssignment(happening, { ...involved, job: { ...drawn.job, slot: 'b' } }).jobs).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('missing-pods', () => {
  const base = { slot: mintedSlot(), missed: { reads: 2, since: NOW - 30_000 }, emptySince: null, asked: NONE }
  it.each([
    ['missing twice, and the API server has none', {}, 'slot-lost'],
    ['missing once', { missed: { reads: 1, since: NOW } }, 'refused by missing'],
    ['missing twice within seconds', { missed: { reads: 2, since: NOW - 1_000 } }, 'refused by missing'],
    ['the list is empty', { emptySince: NOW - MINUTE }, 'blind by complete-read'],
    ['the list is empty for long', { emptySince: NOW - 10 * MINUTE }, 'slot-lost'],
    ['the API server has it', { asked: seen('a') }, 'refused by identity'],
    ['its name has another pod', { asked: seen('b') }, 'slot-lost'],
    ['the API server does not answer', { asked: BLIND }, 'blind by identity'],
    ['a young slot', { slot: mintedSlot(59_000) }, 'refused by old-enough'],
  ])('%s', (_title, change, outcome) => {
    expect(sum(missingPods.decide({ ...base, ...change }, NOW))).toBe(outcome)
  })
})

describe('stale-queue', () => {
  const run = (status: string, conclusion: string | null = null, attempt = 1) => seen({ attempt, status, conclusion })
  const base = { job: queuedJob(30 * MINUTE), atGitHub: atGitHub('queued'), run: run('queued') }
  it.each([
    ['it waits, as its run does', {}, 'refused by run-over'],
    ['its run ended before it began', { run: run('completed', 'startup_failure') }, 'job-completed'],
    ['its run is at a later attempt', { run: run('queued', null, 2) }, 'job-completed'],
    ['its run is of an earlier attempt', { run: run('completed', 'success', 0) }, 'refused by run-over'],
    ['its run could not be read', { run: BLIND }, 'blind by run-over'],
    ['its run is not there', { run: NONE }, 'refused by run-over'],
    ['it is completed', { atGitHub: atGitHub('completed', { conclusion: 'cancelled' }) }, 'job-completed'],
    ['it is in progress', { atGitHub: atGitHub('in_progress', { runner: RUNNER }) }, 'job-started'],
    ['502', { atGitHub: BLIND }, 'blind by github-job'],
    ['502, for a month', { job: queuedJob(30 * 1440 * MINUTE), atGitHub: BLIND }, 'blind by github-job'],
    ['it is young', { job: queuedJob(MINUTE) }, 'refused by due'],
    ['it is young and not found yet', { job: queuedJob(MINUTE), atGitHub: NONE }, 'refused by due'],
  ])('%s', (_title, change, outcome) => {
    expect(sum(staleQueue.decide({ ...base, ...change }, NOW))).toBe(outcome)
  })
})

describe('idle-registrations', () => {
  const runner = { ...RUNNER, online: false, busy: false }
  const base = { runner, place: 'acme/api', slot: endedSlot(), idleSince: NOW - 10 * MINUTE }
  it.each([
    ['of a slot that is gone', {}, 'deregister'],
    ['of nobody', { slot: null }, 'refused by identity'],
    ['of a live slot', { slot: mintedSlot() }, 'refused by no-job-on-record'],
    [
      'of the pod of a slot with another runner',
      { runner: { ...runner, name: 'linux-a-deadbeef' }, slot: mintedSlot() },
      'deregister',
    ],
    ['busy', { runner: { ...runner, busy: true } }, 'refused by github-not-busy'],
    ['online', { runner: { ...runner, online: true } }, 'refused by github-not-busy'],
    ['seen a minute ago', { idleSince: NOW - MINUTE }, 'refused by old-enough'],
  ])('%s', (_title, change, outcome) => {
    expect(sum(idleRegistrations.decide({ ...base, ...change }, NOW))).toBe(outcome)
  })

  it('leaves a slot that is claimed alone: it may be about to get this runner', () => {
    const { uid, namespace, pod, scope, node, appearedAt, generation } = mintedSlot()
    const held = { state: 'claimed', intended: 7, claimedAt: NOW } as const
    const slot = { uid, namespace, pod, scope, node, appearedAt, generation, ...held }
    expect(sum(idleRegistrations.decide({ ...base, slot }, NOW))).toBe('refused by no-job-on-record')
  })
})

describe('dead-runners', () => {
  const base = {
    job: executingJob(),
    podGoneAt: NOW - MINUTE,
    atGitHub: atGitHub('completed', { conclusion: 'failure' }),
  }
  it.each([
    ['GitHub gave it up', {}, 'job-completed'],
    ['GitHub still waits for it', { atGitHub: atGitHub('in_progress', { runner: RUNNER }) }, 'refused by github-job'],
    ['GitHub does not answer', { atGitHub: BLIND }, 'blind by github-job'],
    ['its pod went a moment ago', { podGoneAt: NOW - 1_000 }, 'refused by due'],
    ['its pod is there', { podGoneAt: null }, 'refused by due'],
  ])('%s', (_title, change, outcome) => {
    expect(sum(deadRunners.decide({ ...base, ...change }, NOW))).toBe(outcome)
  })
})
