import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { readGitHubSign, readRecordedJob, readRunnerLife } from './read-stamp-facts.ts'
import type { RunnerList } from './read-stamp-facts.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')

function makePod(state: object | null, { phase = 'Running', restartPolicy = 'Never', metadata = {} } = {}): unknown {
  const statuses = state === null ? [] : [{ name: 'runner', state }]
  return { metadata, spec: { restartPolicy }, status: { phase, containerStatuses: statuses } }
}

const TERMINATED = { terminated: { exitCode: 0, finishedAt: '2026-11-18T11:00:00Z' } }

describe('the life of a runner', () => {
  it.each([
    ['running', makePod({ running: {} })],
    ['ended', makePod(TERMINATED)],
    ['ended', makePod(null, { phase: 'Failed' })],
    ['ended', makePod({ running: {} }, { metadata: { deletionTimestamp: '2026-11-18T11:00:00Z' } })],
    ['running', makePod({ running: {} }, { metadata: { deletionTimestamp: '2026-11-18T12:10:00Z' } })],
    ['waiting', makePod(TERMINATED, { restartPolicy: 'Always' })],
    ['waiting', makePod({ waiting: { reason: 'ImagePullBackOff' } }, { phase: 'Pending' })],
    ['waiting', makePod(null, { phase: 'Pending' })],
    ['unknown', makePod(null)],
  ])('is %s', (life, pod) => {
    expect(readRunnerLife(pod, NOW)).toBe(life)
  })
})

describe('the job on the record of ARC', () => {
  it.each([
    [{ phase: 'Running', jobDisplayName: 'build', jobRepositoryName: 'acme/app' }, seen('job "build" of acme/app')],
    [{ phase: 'Running' }, none()],
    // ARC never clears it.
    [{ phase: 'Failed', jobDisplayName: 'build' }, none()],
  ])('of the status %j', (status, job) => {
    expect(readRecordedJob({ status })).toEqual(job)
  })
})

const RECORD = { spec: { githubConfigUrl: 'https://github.com/Acme' }, status: { runnerName: 'runner-a' } }
const OTHER = { name: 'runner-b', busy: false }

function list(change: Partial<RunnerList>): RunnerList {
  return { place: 'acme', askedAt: NOW, runners: seen([OTHER]), ...change }
}

function readKind(lists: readonly RunnerList[], record: unknown = RECORD, since = NOW - 120_000): string {
  const sign = readGitHubSign({ pod: 'runner-a', record, since, lists })
  return sign.kind === 'seen' ? (sign.value.isBusy ? 'busy' : 'idle') : sign.kind
}

const withOwn = (busy: boolean) => ({ runners: seen([OTHER, { name: 'Runner-A', busy }]) })

describe("GitHub's word about a runner", () => {
  it.each([
    ['busy', [list(withOwn(true))]],
    ['idle', [list(withOwn(false))]],
    ['none', [list({})]],
    ['blind', []],
    ['blind', [list({ runners: blind('forbidden', '403') })]],
  ])('is %s', (kind, lists) => {
    expect(readKind(lists)).toBe(kind)
  })

  it('is blind if its own place was not asked, whatever other places say', () => {
    expect(readKind([list({ place: 'elsewhere', ...withOwn(false) })])).toBe('blind')
    expect(readKind([list({ place: 'acme/app' })])).toBe('blind')
    const enterprise = { ...RECORD, spec: { githubConfigUrl: 'https://github.com/enterprises/acme' } }
    expect(readKind([list({})], enterprise)).toBe('blind')
  })

  it('proves no idleness shortly after the job was seen, but proves work', () => {
    expect(readKind([list(withOwn(false))], RECORD, NOW - 119_999)).toBe('blind')
    expect(readKind([list({})], RECORD, NOW - 119_999)).toBe('blind')
    expect(readKind([list(withOwn(true))], RECORD, NOW)).toBe('busy')
  })

  it('is blind about a pod of which no record says where it is registered, and no list has its name', () => {
    expect(readKind([list({})], null)).toBe('blind')
    expect(readKind([list(withOwn(false))], null)).toBe('idle')
  })
})
