import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import { at } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { ProbeAnswer } from '#/core/fleet/probe-answer.ts'
import type { LogExcerpt, Snapshot } from '#/core/fleet/snapshot.ts'
import { none, seen } from '#/core/basics/observed.ts'
import { ephemeralRunner, listenerPod, runnerPod, scaleSet } from '#test/fleets/arc-objects.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { trust } from './audit.ts'

const UNTRUSTED = 'npm ERR! code UNABLE_TO_GET_ISSUER_CERT_LOCALLY'
const env = (...names: readonly string[]) => ({ env: names.map((name) => ({ name, value: '/etc/ssl/certs/ca.crt' })) })

function lists(
  runner: Fields = {},
  pod: Fields = runnerPod('lane', 'r1', { spec: { containers: [{ name: 'runner', ...runner }] } }),
): Lists {
  return {
    autoscalingrunnersets: [scaleSet('lane', { runner })],
    ephemeralrunners: [ephemeralRunner('lane', 'r1')],
    pods: [pod],
  }
}

type LogPlace = { readonly namespace?: string; readonly pod?: string; readonly container?: string }

const buildLogs = (lines: readonly string[], place: LogPlace = {}): readonly LogExcerpt[] => [
  {
    namespace: 'arc-runners',
    pod: 'r1',
    container: 'runner',
    previous: false,
    firstAt: null,
    lastAt: null,
    ...place,
    lines: lines.map((text) => ({ at: null, text })),
  },
]

const said = (lines: readonly string[], place: LogPlace = {}): Partial<Snapshot> => ({
  logs: seen(buildLogs(lines, place)),
})

const reported = (given: Lists, others: Partial<Snapshot> = {}): readonly string[] =>
  trust
    .examine(buildFleet(given, others), WHOLE_FLEET)
    .map(({ class: name, severity, subject }) => `${name} ${severity} ${subject.kind} ${subject.name}`)

const UNSET = 'ca-bundle-unset warning AutoscalingRunnerSet lane'
const NOT_PLACEMENT = 'trust-not-placement warning EphemeralRunner r1'
const UNREADABLE = 'ca-bundle-unreadable warning AutoscalingRunnerSet lane'

describe('a build with a certificate error', () => {
  it.each([
    UNTRUSTED,
    'Error: SELF_SIGNED_CERT_IN_CHAIN',
    'SSL certificate problem: unable to get local issuer certificate',
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ])('has no bundle and is placed: %s', (line) => {
    expect(reported(lists(), said([line]))).toEqual([UNSET, NOT_PLACEMENT])
  })

  it.each(['SSL_CERT_FILE', 'NIX_SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])(
    'with %s has one, which is not enough',
    (name) => {
      expect(reported(lists(env(name)), said([UNTRUSTED]))).toEqual([NOT_PLACEMENT])
    },
  )

  it('may have one from a ConfigMap', () => {
    expect(reported(lists({ envFrom: [{ configMapRef: { name: 'c' } }] }), said([UNTRUSTED]))).toEqual([NOT_PLACEMENT])
  })

  it('is judged by what its own pod has', () => {
    const pod = runnerPod('lane', 'r1', { spec: { containers: [{ name: 'runner', ...env('SSL_CERT_FILE') }] } })
    expect(reported(lists({}, pod), said([UNTRUSTED]))).toEqual([NOT_PLACEMENT])
  })

  it('is never moved by the advice', () => {
    const hints = trust.examine(buildFleet(lists(), said([UNTRUSTED])), WHOLE_FLEET).map(({ hint }) => hint)
    expect(hints).toHaveLength(2)
    for (const hint of hints)
      expect(hint).not.toMatch(/\b(?:add|set|change|move)\b[^;]*(?:nodeSelector|toleration|affinity)/i)
  })

  it.each([
    ['the pod is gone', { pods: [] }],
    ['the pod has ended', { pods: [{ ...runnerPod('lane', 'r1'), status: { phase: 'Failed' } }] }],
    [
      'the pod has no node',
      { pods: [runnerPod('lane', 'r1', { spec: { nodeName: undefined, containers: [{ name: 'runner' }] } })] },
    ],
  ])('is not called placed if %s', (_, changes) => {
    expect(reported({ ...lists(), ...changes }, said([UNTRUSTED]))).toEqual([UNSET])
  })

  it('is reported for ten runners of a set; the others are counted', () => {
    const names = Array.from({ length: 12 }, (_, index) => `r${index}`)
    const pods = names.map((name) => runnerPod('lane', name))
    const ephemeralrunners = names.map((name) => ephemeralRunner('lane', name))
    const logs = seen(names.flatMap((pod) => buildLogs([UNTRUSTED], { pod })))
    const findings = trust.examine(buildFleet({ ...lists(), pods, ephemeralrunners }, { logs }), WHOLE_FLEET)
    expect(findings.map(({ class: name }) => name)).toEqual([
      'ca-bundle-unset',
      ...names.slice(2).map(() => 'trust-not-placement'),
    ])
    expect(findings.at(-1)?.evidence).toContain('2 more runners of lane log the same')
  })

  it('did no harm if the job succeeded afterwards', () => {
    expect(reported(lists(), said([UNTRUSTED, 'Job a completed with result: Succeeded']))).toEqual([])
    expect(reported(lists(), said([UNTRUSTED, 'Job a completed with result: Failed']))).toEqual([UNSET, NOT_PLACEMENT])
    expect(reported(lists(), said(['Job a completed with result: Succeeded', UNTRUSTED]))).toEqual([
      UNSET,
      NOT_PLACEMENT,
    ])
  })

  it('is not a listener, nor a pod of somebody else', () => {
    const labels = { ...(at(runnerPod('lane', 'x'), 'metadata', 'labels') as Fields) }
    const listening = { ...labels, 'app.kubernetes.io/component': 'runner-scale-set-listener' }
    const pods = [
      listenerPod('lane'),
      runnerPod('lane', 'near-listener', { metadata: { labels: listening, ownerReferences: [] } }),
      runnerPod('lane', 'other', { metadata: { labels: { app: 'x' }, ownerReferences: [] } }),
    ]
    const far = { namespace: 'arc-systems', pod: 'lane-listener', container: 'listener' }
    expect(reported({ ...lists(), pods }, said([UNTRUSTED], far))).toEqual([])
    expect(reported({ ...lists(), pods }, said([UNTRUSTED], { pod: 'near-listener', container: 'listener' }))).toEqual(
      [],
    )
    expect(reported({ ...lists(), pods }, said([UNTRUSTED], { pod: 'other' }))).toEqual([])
  })

  it("in Docker's own container uses other certificates than the runner", () => {
    expect(reported(lists(), said([UNTRUSTED], { container: 'dind' }))).toEqual([NOT_PLACEMENT])
  })

  it('in a pod that the runner started counts for the runner', () => {
    const job = runnerPod('lane', 'r1-workflow', { metadata: { labels: { 'runner-pod': 'r1' }, ownerReferences: [] } })
    const pods = [runnerPod('lane', 'r1'), job]
    expect(reported({ ...lists(), pods }, said([UNTRUSTED], { pod: 'r1-workflow', container: 'job' }))).toEqual([
      UNSET,
      NOT_PLACEMENT,
    ])
  })
})

describe('the log of a job at GitHub', () => {
  const job = (changes: Fields = {}): Partial<Snapshot> => ({
    github: {
      runners: none(),
      queuedJobs: none(),
      rateLimit: none(),
      jobs: seen([{ id: 7, runner_name: 'r1', labels: ['lane'], conclusion: 'failure', ...changes }]),
    },
    jobLogs: seen([{ job: 7, lines: [{ at: null, text: UNTRUSTED }] }]),
  })

  it('counts for its runner, or for the only set that its labels lead to', () => {
    expect(reported(lists(), job())).toEqual([UNSET, NOT_PLACEMENT])
    expect(reported({ ...lists(), ephemeralrunners: [] }, job())).toEqual([
      UNSET,
      'trust-not-placement warning AutoscalingRunnerSet lane',
    ])
    const twin = scaleSet('twin', { spec: { runnerScaleSetName: 'lane' } })
    const sets = { autoscalingrunnersets: [scaleSet('lane'), twin], ephemeralrunners: [] }
    expect(reported({ ...lists(), ...sets }, job())).toEqual([])
  })

  it('does not count if the job succeeded', () => {
    expect(reported(lists(), job({ conclusion: 'success' }))).toEqual([])
  })
})

describe('a set with githubServerTLS', () => {
  const spec = { githubServerTLS: { certificateFrom: { configMapKeyRef: { name: 'c', key: 'k' } } } }

  it('must mount the certificate into its runners', () => {
    expect(reported({ autoscalingrunnersets: [scaleSet('lane', { spec })] })).toEqual([UNSET])
    expect(reported({ autoscalingrunnersets: [scaleSet('lane')] })).toEqual([])
    const runner = env('NODE_EXTRA_CA_CERTS')
    const template = { spec: { containers: [{ name: 'runner', ...runner }] } }
    expect(reported({ autoscalingrunnersets: [scaleSet('lane', { spec: { ...spec, template } })] })).toEqual([])
  })
})

describe('a bundle that cannot be read', () => {
  const far = { env: [{ name: 'SSL_CERT_FILE', value: '/opt/ca.pem' }] }

  it('is shown by the spec, by a build, or by both', () => {
    const line = 'Warning: Ignoring extra certs from `/x`, load failed'
    expect(reported(lists(far))).toEqual([UNREADABLE])
    expect(reported(lists(), said([line]))).toEqual([UNREADABLE])
    expect(reported(lists(far), said([line]))).toEqual([UNREADABLE])
    expect(reported(lists(), said([line], { container: 'dind' }))).toEqual([])
  })

  const answer = (...bundles: ProbeAnswer['bundles']): Partial<Snapshot> => ({
    probes: seen([
      {
        sets: [{ namespace: 'arc-runners', name: 'lane' }],
        pod: 'p',
        trouble: null,
        targets: [],
        variables: [],
        bundles,
      },
    ]),
  })

  it.each(['missing', 'unreadable', 'not-pem'] as const)('is shown by a probe: %s', (result) => {
    expect(reported(lists(env('SSL_CERT_FILE')), answer({ variable: 'SSL_CERT_FILE', path: '/x', result }))).toEqual([
      UNREADABLE,
    ])
  })

  it('is not reported if a probe has read it', () => {
    const read = answer({ variable: 'SSL_CERT_FILE', path: '/opt/ca.pem', result: 'readable' })
    expect(reported(lists(far), read)).toEqual([])
  })

  it("is not unset if a probe has read the image's own", () => {
    const read = answer({ variable: 'SSL_CERT_FILE', path: '/x', result: 'readable' })
    expect(reported(lists(), { ...said([UNTRUSTED]), ...read })).toEqual([NOT_PLACEMENT])
  })

  it('is unknown if a probe has no result', () => {
    const mute = {
      sets: [{ namespace: 'arc-runners', name: 'lane' }],
      pod: 'p',
      trouble: 'x',
      targets: [],
      variables: [],
      bundles: [],
    }
    expect(reported(lists(), { probes: seen([mute]) })).toEqual(['blind warning Source probe'])
  })
})
