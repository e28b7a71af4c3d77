import { preflight } from '#/audits/preflight/audit.ts'
import { runtime } from '#/audits/runtime/audit.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Question } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind, seen, seenList } from '#/core/basics/observed.ts'
import { controllerPods, buildControllers } from './arc-controller.ts'
import type { ControllerCase } from './arc-controller.ts'
import { LISTENER, buildLog } from './arc-logs.ts'
import type { LogCase } from './arc-logs.ts'
import { ago, buildFleet, NOW } from './build-fleet.ts'

const URL = 'https://github.com/example-org'
const DAY = 86_400

/** One set, `lane` in `arc`, with its listener in `arc-systems`; healthy except for what a case changes. Ages are in seconds. */
export type SetCase = {
  readonly version?: string
  readonly max?: number | null
  /** Null: the set has no phase. */
  readonly phase?: string | null
  readonly set?: Part
  /** False: there is none. */
  readonly listener?: false | Part
  /** False: it has none; else its age and container state. */
  readonly listenerPod?: false | PodCase
  readonly runnerSets?: readonly Part[]
  readonly runners?: readonly RunnerCase[]
  readonly controller?: false | ControllerCase
  readonly jobs?: readonly Fields[]
  readonly completed?: readonly Fields[]
  readonly events?: readonly Fields[]
  readonly logs?: readonly LogCase[]
  readonly pods?: readonly Fields[]
  /** The age up to which a source covers the time, by its name. */
  readonly logsUntil?: Readonly<Record<string, number>>
  readonly blind?: readonly (BundleResource | 'github' | 'queue' | 'jobs' | 'logs')[]
}

export type Part = {
  readonly name?: string
  readonly age?: number
  readonly deleted?: number
  readonly spec?: Fields
  readonly status?: Fields
  readonly annotations?: Fields
  readonly metadata?: Fields
}

export type PodCase = {
  readonly age?: number
  readonly deleted?: number
  readonly phase?: string
  readonly reason?: string
  readonly state?: Fields
  readonly lastState?: Fields
  readonly labels?: Fields
  /** Instead of the one that the pod has. */
  readonly containers?: readonly Fields[]
  readonly conditions?: readonly Fields[]
  readonly metadata?: Fields
}

export type RunnerCase = Part & {
  readonly name: string
  readonly job?: boolean
  readonly pod?: PodCase | null
  readonly github?: 'online' | 'busy' | 'offline' | 'offline-busy' | 'absent'
  readonly configUrl?: string
  /** What was read of its processes; default: nothing. */
  readonly processes?: 'waiting' | 'working' | 'another-container'
}

export const JOB: Fields = {
  jobId: '8f19a7e1-116c-4399-b43e-d2152a29a15d',
  jobDisplayName: 'build',
  jobRepositoryName: 'example-org/app',
  workflowRunId: 7,
}

export const READY: Fields = { phase: 'Running', ready: true, runnerId: 9001 }

const LABELS = {
  'actions.github.com/scale-set-name': 'lane',
  'actions.github.com/scale-set-namespace': 'arc',
} as const

function part(
  own: Part,
  given: { readonly name: string; readonly namespace: string; readonly labels?: Fields },
): Fields {
  return {
    metadata: {
      name: own.name ?? given.name,
      namespace: given.namespace,
      uid: `uid-of-${own.name ?? given.name}`,
      resourceVersion: '1',
      creationTimestamp: ago((own.age ?? DAY) * 1000),
      labels: given.labels ?? {},
      ...(own.deleted === undefined ? {} : { deletionTimestamp: ago(own.deleted * 1000) }),
      ...(own.annotations === undefined ? {} : { annotations: own.annotations }),
      ...own.metadata,
    },
    spec: own.spec ?? {},
    ...(own.status === undefined ? {} : { status: own.status }),
  }
}

function buildPod(name: string, namespace: string, container: string, own: PodCase): Fields {
  const state = own.state ?? { running: { startedAt: ago((own.age ?? 3600) * 1000) } }
  return {
    ...part(
      {
        age: own.age ?? 3600,
        ...(own.deleted === undefined ? {} : { deleted: own.deleted }),
        metadata: own.metadata ?? {},
      },
      {
        name,
        namespace,
        labels: own.labels ?? { ...LABELS, 'actions-ephemeral-runner': 'True' },
      },
    ),
    spec: { containers: [{ name: container, image: 'ghcr.io/actions/actions-runner:2.335.1' }] },
    status: {
      phase: own.phase ?? 'Running',
      ...(own.reason === undefined ? {} : { reason: own.reason }),
      conditions: own.conditions ?? [],
      containerStatuses: own.containers ?? [
        { name: container, state, lastState: own.lastState ?? {}, restartCount: 0 },
      ],
    },
  }
}

export const runnerPod = (name: string, own: PodCase): Fields => buildPod(name, 'arc', 'runner', own)

function buildSet({ version = '0.14.2', phase, max = 4, set = {} }: SetCase): Fields {
  const hasNone = phase === null || (phase === undefined && /^0\.(?:[0-9]|1[0-3])\./.test(version))
  return part(
    {
      ...set,
      annotations: { 'runner-scale-set-id': '41', 'actions.github.com/values-hash': 'v1', ...set.annotations },
      spec: { githubConfigUrl: URL, minRunners: 1, ...(max === null ? {} : { maxRunners: max }), ...set.spec },
      status: { ...(hasNone ? {} : { phase: phase ?? 'Running' }), currentRunners: 9, ...set.status },
    },
    { name: 'lane', namespace: 'arc', labels: { 'app.kubernetes.io/version': version } },
  )
}

function buildListeners({ listener = {}, max = 4 }: SetCase): readonly Fields[] {
  if (listener === false) return []
  const spec = {
    autoscalingRunnerSetName: 'lane',
    autoscalingRunnerSetNamespace: 'arc',
    ephemeralRunnerSetName: 'lane-x7k2p',
    runnerScaleSetId: 41,
    maxRunners: max ?? 2_147_483_647,
    ...listener.spec,
  }
  return [
    part(
      { ...listener, annotations: { 'actions.github.com/values-hash': 'v1', ...listener.annotations }, spec },
      { name: LISTENER, namespace: 'arc-systems' },
    ),
  ]
}

function buildRunner(own: RunnerCase): Fields {
  return part(
    {
      age: 3600,
      ...own,
      spec: { githubConfigUrl: own.configUrl ?? URL },
      status: { ...READY, ...own.status, ...(own.job === true ? JOB : {}) },
      metadata: { ownerReferences: [{ kind: 'EphemeralRunnerSet', name: 'lane-x7k2p' }], ...own.metadata },
    },
    { name: own.name, namespace: 'arc', labels: LABELS },
  )
}

/** An event of the listener's pod. */
export const listenerEvent = (age: number, uid: string, name = LISTENER): Fields => ({
  reason: 'Started',
  lastTimestamp: ago(age * 1000),
  involvedObject: { kind: 'Pod', namespace: 'arc-systems', name, uid },
})

function buildRows(own: SetCase): Readonly<Partial<Record<BundleResource, readonly Fields[]>>> {
  const { runners = [], listenerPod = {}, runnerSets = [{}], pods = [], events = [] } = own
  const owned = { metadata: { ownerReferences: [{ kind: 'AutoscalingRunnerSet', name: 'lane' }] } }
  return {
    autoscalingrunnersets: [buildSet(own)],
    autoscalinglisteners: buildListeners(own),
    ephemeralrunnersets: runnerSets.map((one) => part({ ...owned, ...one }, { name: 'lane-x7k2p', namespace: 'arc' })),
    ephemeralrunners: runners.map(buildRunner),
    pods: [
      ...runners.flatMap(({ name, pod = {} }) => (pod === null ? [] : [runnerPod(name, pod)])),
      ...(listenerPod === false ? [] : [buildPod(LISTENER, 'arc-systems', 'listener', { labels: {}, ...listenerPod })]),
      ...controllerPods(own.controller, own.version),
      ...pods,
    ],
    deployments: buildControllers(own.controller, own.version),
    events,
  }
}

const PROCESSES = {
  waiting: '18 14 20095 /home/runner/bin/Runner.Listener run\n',
  working:
    '18 14 20095 /home/runner/bin/Runner.Listener run\n42 18 81 /home/runner/bin/Runner.Worker spawnclient 1 2\n',
  'another-container': '1 0 900 dockerd\n',
} as const

function readProcesses(runners: readonly RunnerCase[]): NonNullable<Snapshot['processes']> {
  return new Map(
    runners.flatMap(({ name, processes }) =>
      processes === undefined ? [] : [[`arc/${name}`, seen(PROCESSES[processes])] as const],
    ),
  )
}

function githubRunner({ name, github = 'online' }: RunnerCase): readonly Fields[] {
  const status = github.startsWith('offline') ? 'offline' : 'online'
  return github === 'absent' ? [] : [{ name, status, busy: github.endsWith('busy') }]
}

export function arcFleet(own: SetCase): Fleet {
  const unseen = new Set<string>(own.blind)
  const refused = blind('forbidden', '403')
  const read = <T>(source: string, rows: readonly T[] = []) => (unseen.has(source) ? refused : seenList(rows))
  const coverage = Object.entries(own.logsUntil ?? {}).map(
    ([name, age]) => [name, { from: null, to: NOW - age * 1000, remark: null }] as const,
  )
  return buildFleet(
    Object.fromEntries(Object.entries(buildRows(own)).map(([name, rows]) => [name, read(name, rows)])),
    {
      coverage: new Map(coverage),
      logs: read('logs', own.logs?.map(buildLog)),
      processes: readProcesses(own.runners ?? []),
      github: {
        runners: read('github', own.runners?.flatMap(githubRunner)),
        queuedJobs: read('queue', own.jobs),
        jobs: read('jobs', own.completed),
        rateLimit: blind('not-asked', ''),
      },
    },
  )
}

export function runtimeFindings(own: SetCase, question: Partial<Question> = {}): readonly Finding[] {
  return runtime.examine(arcFleet(own), { ...WHOLE_FLEET, ...question })
}

/** Class and subject of each finding, without idle runners. */
export function traps(own: SetCase): readonly string[] {
  return runtimeFindings(own)
    .filter((one) => one.class !== 'idle-no-job-runner')
    .map((one) => `${one.class} ${one.subject.name}`)
}

export function findFinding(own: SetCase, name: string): Finding | undefined {
  return runtimeFindings(own).find((one) => one.class === name)
}

export function judgeReadiness(own: SetCase): Finding | undefined {
  return preflight.examine(arcFleet(own), WHOLE_FLEET)[0]
}
