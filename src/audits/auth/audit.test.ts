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

  it('is shown by the controller, for the set whose listener it reconciled', () => {
    const text = `ERROR\tAutoscalingListener\tReconciler error\t{"AutoscalingListener": {"name":"lane-listener","namespace":"arc-systems"}, "error": "API rate limit exceeded"}`
    expect(findings({}, said({ pod: 'arc-x', container: 'manager', text }))).toEqual([CRITICAL])
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

describe('a refused credential', () => {
  const REFUSED = 'failed to get runner registration token: StatusCode 401: {"message":"Bad credentials"}'
  const FINDING = 'credential-refused critical Secret gh-app'

  it('is the finding of its Secret, with its sets', () => {
    const fleet = buildFleet(LISTS, said({ text: REFUSED }))
    const [finding] = auth.examine(fleet, WHOLE_FLEET)
    expect(finding).toMatchObject({
      class: 'credential-refused',
      severity: 'critical',
      subject: { kind: 'Secret', namespace: 'arc-runners', name: 'gh-app' },
      fields: { sets: ['arc-runners/lane'], credential: 'app' },
    })
    expect(finding?.evidence).toEqual([
      expect.stringContaining('GitHub answers 401'),
      'used by lane',
      expect.stringContaining('Bad credentials'),
    ])
  })

  it('lasts as long as the listener is down, and is over when it runs', () => {
    const old = said({ text: REFUSED, at: NOW - 7_200_000 })
    expect(findings({}, old)).toEqual([FINDING])
    expect(findings({ pods: [listenerPod('lane', { state: { running: { startedAt: ago(300_000) } } })] }, old)).toEqual(
      [],
    )
    expect(findings({ pods: [] }, old)).toEqual([])
  })

  it('is one finding for all listeners that use it', () => {
    const one = said({ text: REFUSED }).logs
    const logs = one?.kind === 'seen' ? one.value : []
    const others = logs.map((log) => ({ ...log, pod: 'other-listener' }))
    const lists = {
      autoscalingrunnersets: [scaleSet('lane'), scaleSet('other')],
      autoscalinglisteners: [buildListener('lane'), buildListener('other')],
      pods: [],
    }
    const [finding, ...more] = auth.examine(
      buildFleet({ ...LISTS, ...lists }, { logs: seen([...logs, ...others]) }),
      WHOLE_FLEET,
    )
    expect(more).toEqual([])
    expect(finding?.evidence).toContain('logs/arc-systems/other-listener/listener says the same')
  })

  it('of another lane is not reported if one lane is asked about', () => {
    const lists = { autoscalingrunnersets: [scaleSet('lane'), scaleSet('b', { spec: { githubConfigSecret: 'gone' } })] }
    const fleet = buildFleet({ ...LISTS, ...lists }, said({ text: REFUSED }))
    const classes = (labels: readonly string[]) =>
      auth.examine(fleet, { ...WHOLE_FLEET, labels }).map((one) => one.class)
    expect(classes(['lane'])).toEqual(['credential-refused'])
    expect(classes(['b'])).toEqual(['secret-missing'])
  })

  it('in a vault is a finding of the set', () => {
    const lists = { autoscalingrunnersets: [scaleSet('lane', { spec: { vaultConfig: { type: 'azure_key_vault' } } })] }
    expect(findings(lists, said({ text: REFUSED }))).toEqual(['credential-refused critical AutoscalingRunnerSet lane'])
  })
})

describe('whose rate limit was read', () => {
  const read = (core: Fields, remark: string | null): Partial<Snapshot> => ({
    github: { runners: none(), queuedJobs: none(), jobs: none(), rateLimit: seen({ resources: { core } }) },
    ...(remark === null ? {} : { remarks: new Map([['github/rate-limit', remark]]) }),
  })
  const SPENT = { limit: 5_000, remaining: 0, reset: NOW / 1000 + 60 }
  const FULL = { ...SPENT, remaining: 5_000 }
  const PAT = { secrets: [buildSecret('arc-runners', 'gh-app', { github_token: 'eA==' })] }
  const PERSON = 'read with the token of the user who collected'

  it('is said with the Secrets and sets that may share it', () => {
    const [finding] = auth.examine(buildFleet(LISTS, read(SPENT, null)), WHOLE_FLEET)
    expect(finding?.evidence).toEqual([
      expect.stringContaining('0 of 5000 requests of core are left'),
      expect.stringContaining("a person's or an App installation's"),
      'Secret arc-runners/gh-app, used by lane, may share it',
    ])
    expect(finding?.fields).toMatchObject({ budgetOwner: 'unknown', sets: ['arc-runners/lane'] })
  })

  it('is no finding if no set can use it: a person collected, and the sets use an App', () => {
    expect(findings({}, read(SPENT, PERSON))).toEqual([])
    expect(findings(PAT, read(SPENT, PERSON))).toEqual([
      'pat-credential warning Secret gh-app',
      'rate-limited critical Credential core',
    ])
  })

  it('is remarked even if it is full, because it is no all-clear for another credential', () => {
    const remark = (lists: Lists, others: Partial<Snapshot>) =>
      auth.remarks?.(buildFleet({ ...LISTS, ...lists }, others), WHOLE_FLEET).get('github/rate-limit')
    expect(remark({}, read(FULL, PERSON))).toBe("it is a person's; the rate limit of arc-runners/gh-app was not read")
    expect(remark(PAT, read(FULL, PERSON))).toBe("it is a person's")
    expect(remark({}, read({ ...FULL, limit: 12_500 }, null))).toBe("it is a GitHub App installation's")
  })

  it('may be none: an enterprise server without limits is not blind, one that shows only the old form is read', () => {
    const github = (document: Fields): Partial<Snapshot> => ({
      github: { runners: none(), queuedJobs: none(), jobs: none(), rateLimit: seen(document) },
    })
    expect(findings({}, github({ message: 'Rate limiting is not enabled.' }))).toEqual([])
    expect(findings({}, github({ rate: SPENT }))).toEqual(['rate-limited critical Credential core'])
  })

  it('decides the advice: an App does not help an App', () => {
    const hint = (text: string) => auth.examine(buildFleet(LISTS, said({ text })), WHOLE_FLEET)[0]?.hint
    expect(hint('API rate limit exceeded for installation ID 7')).toContain('find what else uses this App')
    expect(hint('API rate limit exceeded for user ID 7')).toContain('their own GitHub App')
  })
})
