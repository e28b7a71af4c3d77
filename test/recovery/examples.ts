import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Job } from '#/core/dispatch/job.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { JobAtGitHub, RunnerAtGitHub } from '#/core/recovery/seen-at-github.ts'

/** What the examples of the loops share. */
export const NOW = Date.UTC(2026, 10, 18, 12)
export const RUNNER = { id: 41, name: 'linux-a-0123abcd' }
export const BLIND = blind('server-error', '502')
export const NONE = none()

const facts = {
  id: 7,
  runId: 1007,
  runAttempt: 1,
  repository: 'acme/api',
  workflow: 'ci',
  name: 'build',
  labels: ['linux'],
  scope: 'runners/linux',
  queuedAt: NOW - 3_600_000,
  generation: 3,
  recoveries: 0,
}

export function claimedJob(ageMs: number): Extract<Job, { state: 'claimed' }> {
  return { ...facts, state: 'claimed', slot: 'a', claimedAt: NOW - ageMs }
}

export function mintedJob(ageMs: number): Extract<Job, { state: 'minted' }> {
  return { ...facts, state: 'minted', slot: 'a', mintedAt: NOW - ageMs }
}

export function queuedJob(ageMs: number): Extract<Job, { state: 'queued' }> {
  return { ...facts, queuedAt: NOW - ageMs, state: 'queued', notBefore: 0 }
}

export function executingJob(): Extract<Job, { state: 'executing' }> {
  return { ...facts, state: 'executing', runner: RUNNER, startedAt: NOW - 600_000 }
}

export function mintedSlot(appearedMs = 600_000): Slot {
  const where = { uid: 'a', namespace: 'runners', pod: 'linux-a', scope: 'runners/linux', node: 'm789d' }
  const held = { state: 'minted', intended: 7, runner: RUNNER, mintedAt: NOW - 300_000 } as const
  return { ...where, appearedAt: NOW - appearedMs, generation: 3, ...held }
}

export function endedSlot(): Slot {
  const where = { uid: 'a', namespace: 'runners', pod: 'linux-a', scope: 'runners/linux', node: 'm789d' }
  const gone = { state: 'lost', executed: null, runner: RUNNER, intended: 7, endedAt: NOW - 10_000 } as const
  return { ...where, appearedAt: NOW - 600_000, generation: 4, ...gone }
}

export function atGitHub(status: string, change: Partial<JobAtGitHub> = {}) {
  const job = { status, conclusion: null, runner: null, startedAt: null, completedAt: null }
  return seen<JobAtGitHub>({ ...job, ...change })
}

export function listed(change: Partial<RunnerAtGitHub> = {}) {
  return seen<RunnerAtGitHub>({ ...RUNNER, online: false, busy: false, ...change })
}
