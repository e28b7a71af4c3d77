import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import {
  ephemeralRunner,
  buildListener,
  listenerPod,
  podEvent,
  runnerPod,
  scaleSet,
  buildSecret,
} from '#test/fleets/arc-objects.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { NOW, ago, buildFleet } from '#test/fleets/build-fleet.ts'
import { auth } from './audit.ts'

const APP = { github_app_id: 'eA==', github_app_installation_id: 'eA==', github_app_private_key: 'eA==' }
const LISTS: Lists = {
  autoscalingrunnersets: [scaleSet('lane')],
  autoscalinglisteners: [buildListener('lane')],
  secrets: [buildSecret('arc-runners', 'gh-app', APP)],
  pods: [listenerPod('lane', { state: { terminated: { exitCode: 1 } } })],
  ephemeralrunners: [ephemeralRunner('lane', 'r1')],
}
const LIMITED = 'Application returned an error: API rate limit exceeded for user ID 1'

const findings = (lists: Lists = {}, others: Partial<Snapshot> = {}): readonly string[] =>
  auth
    .examine(buildFleet({ ...LISTS, ...lists }, others), WHOLE_FLEET)
    .map(({ class: name, severity, subject }) => `${name} ${severity} ${subject.kind} ${subject.name}`)

type Said = {
  readonly pod?: string
  readonly container?: string
  readonly text?: string
  readonly at?: number
  readonly lastAt?: number | null
}

const said = ({
  pod = 'lane-listener',
  container = 'listener',
  text = LIMITED,
  at = NOW - 5_000,
  lastAt = at,
}: Said): Partial<Snapshot> => ({
  logs: seen([
    {
      namespace: container === 'runner' ? 'arc-runners' : 'arc-systems',
      pod,
      container,
      previous: false,
      firstAt: at,
      lastAt,
      lines: [{ at, text }],
    },
  ]),
})

const CRITICAL = 'rate-limited critical Secret gh-app'

describe('the Secret of a set', () => {
  it('with an App is no finding', () => {
    expect(findings()).toEqual([])
  })

  it.each([
    ['is missing', [], 'secret-missing warning Secret gh-app'],
    [
      'is only in another namespace',
      [buildSecret('arc-systems', 'gh-app', APP)],
      'secret-missing warning Secret gh-app',
    ],
    [
      'lacks a key',
      [buildSecret('arc-runners', 'gh-app', { github_app_id: 'eA==' })],
      'secret-missing warning Secret gh-app',
    ],
    [
      'is of a person',
      [buildSecret('arc-runners', 'gh-app', { github_token: 'eA==' })],
      'pat-credential warning Secret gh-app',
    ],
    [
      'is of both',
      [buildSecret('arc-runners', 'gh-app', { ...APP, github_token: 'eA==' })],
      'credential-conflict warning Secret gh-app',
    ],
  ])('%s', (_, secrets, expected) => {
    expect(findings({ secrets })).toEqual([expected])
  })

  it.each([
    ['it is in a vault', { spec: { vaultConfig: { type: 'azure_key_vault' } } }],
    ['none is named', { spec: { githubConfigSecret: undefined } }],
  ])('is not reported missing if %s', (_, changes) => {
    expect(findings({ secrets: [], autoscalingrunnersets: [scaleSet('lane', changes)] })).toEqual([])
  })

  it('is not reported missing for a set that is terminating', () => {
    const set = scaleSet('lane')
    const metadata = { ...(set['metadata'] as Fields), deletionTimestamp: ago(1_000) }
    expect(findings({ secrets: [], autoscalingrunnersets: [{ ...set, metadata }] })).toEqual([])
  })

  it('is not reported missing if the Secrets could not be read', () => {
    expect(findings({ secrets: blind('forbidden', '403') })).toEqual([])
  })

  it('is critical if a pod of the set fails because of it, and only then', () => {
    const pod = runnerPod('lane', 'lane-abc-runner-x')
    const failed = podEvent(pod, 'Failed', 'Error: secret "gh-app" not found')
    expect(findings({ secrets: [], pods: [pod], events: [failed] })).toEqual(['secret-missing critical Secret gh-app'])
    const other = podEvent(runnerPod('lanes', 'lanes-abc-runner-x'), 'Failed', 'Error: secret "gh-app" not found')
    const another = podEvent(pod, 'Failed', 'Error: secret "gh-app-2" not found')
    expect(findings({ secrets: [], events: [other, another] })).toEqual(['secret-missing warning Secret gh-app'])
  })

  it('is reported once for all its sets', () => {
    expect(findings({ secrets: [], autoscalingrunnersets: [scaleSet('a'), scaleSet('b')] })).toEqual([
      'secret-missing warning Secret gh-app',
    ])
  })
})

describe('an exhausted rate limit', () => {
  it('is shown by a listener that ends because of it', () => {
    expect(findings({}, said({}))).toEqual([CRITICAL])
    expect(findings({}, said({ text: 'You have exceeded a secondary rate limit' }))).toEqual([CRITICAL])
  })

  it('is shown by the controller, for the set that it reconciled', () => {
    const text = `ERROR\tEphemeralRunner\tFailed to create ephemeral runners secret\t{"ephemeralrunner": {"name":"r1","namespace":"arc-runners"}, "error": "API rate limit exceeded"}`
    expect(findings({}, said({ pod: 'arc-x', container: 'manager', text, at: NOW - 120_000, lastAt: NOW }))).toEqual([
      CRITICAL,
    ])
  })

  it("is not shown by a job's own log", () => {
    expect(findings({}, said({ pod: 'r1', container: 'runner' }))).toEqual([])
  })

  it.each([
    ['within the hour', NOW - 3_599_000, [CRITICAL]],
    ['an hour ago', NOW - 3_600_000, []],
  ])('%s', (_, at, expected) => {
    expect(findings({}, said({ at }))).toEqual(expected)
  })

  it('is over if the listener logged for a minute since', () => {
    expect(findings({}, said({ at: NOW - 120_000, lastAt: NOW - 60_000 }))).toEqual([CRITICAL])
    expect(findings({}, said({ at: NOW - 120_000, lastAt: NOW - 59_000 }))).toEqual([])
    expect(findings({}, said({ at: NOW - 120_000, lastAt: null }))).toEqual([CRITICAL])
  })

  it.each([
    ['for a minute', 61_000, []],
    ['for less, as in every turn of a loop', 60_000, [CRITICAL]],
  ])('is over if the listener has been running again %s', (_, since, expected) => {
    const pods = [listenerPod('lane', { state: { running: { startedAt: ago(since) } } })]
    expect(findings({ pods }, said({ at: NOW - 100_000 }))).toEqual(expected)
  })

  it('is shown by GitHub; a document without a rate limit is blind', () => {
    const github = (document: Fields): Partial<Snapshot> => ({
      github: { runners: none(), queuedJobs: none(), jobs: none(), rateLimit: seen(document) },
    })
    const core = { limit: 5_000, remaining: 0, reset: NOW / 1000 + 60 }
    expect(findings({}, github({ resources: { core } }))).toEqual(['rate-limited critical Credential core'])
    expect(findings({}, github({ resources: { core: { ...core, remaining: 499 } } }))).toEqual([
      'rate-budget-low warning Credential core',
    ])
    expect(findings({}, github({ message: 'Bad credentials' }))).toEqual(['blind warning Source github/rate-limit'])
  })
})
