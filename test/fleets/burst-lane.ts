import { burst } from '#/audits/burst/audit.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Question } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { blind, seen, seenList } from '#/core/basics/observed.ts'
import type { Lists } from './build-fleet.ts'
import { ago, buildFleet } from './build-fleet.ts'

/** One lane with one set, `linux` in `arc`, with only what a case sets. */
export type LaneCase = {
  readonly max?: number
  readonly template?: Fields
  readonly runners?: readonly RunnerCase[]
  /** Ages of the queued jobs in seconds, or whole jobs. */
  readonly queued?: readonly (number | Fields)[]
  readonly running?: readonly Fields[]
  readonly nodes?: readonly Fields[]
  /** Adds or replaces lists. */
  readonly lists?: Lists
  readonly otherPods?: readonly Fields[]
  readonly isQueueBlind?: boolean
  readonly areRunnersBlind?: boolean
  /** False, or the container's state. */
  readonly listener?: false | Fields
  readonly fleetFile?: FleetFile
  readonly question?: Partial<Question>
  readonly otherRunners?: readonly Fields[]
  readonly events?: readonly Fields[]
  readonly stats?: Readonly<Record<string, Fields>>
}

export type RunnerCase = {
  readonly name: string
  readonly status?: Fields
  /** Null: it has none. */
  readonly pod?: Fields | null
  readonly repository?: string
  readonly github?: 'idle' | 'busy' | 'offline' | 'absent'
  /** Seconds since it was created and became ready. */
  readonly age?: number
}

export const REQUESTS = { cpu: '2', memory: '4Gi' } as const

export const TEMPLATE: Fields = { containers: [{ name: 'runner', resources: { requests: REQUESTS } }] }

export function examineLane(lane: LaneCase): readonly Finding[] {
  return burst.examine(laneFleet(lane), { ...WHOLE_FLEET, ...lane.question })
}

export const listClasses = (findings: readonly Finding[]): readonly string[] => findings.map((one) => one.class)

export function firstLimiter(findings: readonly Finding[]): string | null {
  return findings.find(({ fields }) => fields?.['firstLimiter'] === true)?.class ?? null
}

export function laneFleet(lane: LaneCase) {
  const template = lane.template ?? TEMPLATE
  const runners = lane.runners ?? []
  const listenerPods = lane.listener === false ? [] : [listenerPod(lane.listener)]
  return buildFleet(
    {
      autoscalingrunnersets: [scaleSet(lane.max, template)],
      autoscalinglisteners: lane.listener === false ? [] : [LISTENER],
      ephemeralrunners: runners.map(runnerRecord),
      pods: [...runners.flatMap((one) => runnerPod(one, template)), ...listenerPods, ...(lane.otherPods ?? [])],
      nodes: lane.nodes ?? [node('a')],
      events: lane.events ?? [],
      ...lane.lists,
    },
    {
      stats: new Map(Object.entries(lane.stats ?? {}).map(([name, value]) => [name, seen(value)])),
      github: buildGitHub(lane),
      fleetFile: lane.fleetFile === undefined ? blind('not-asked', '') : seen(lane.fleetFile),
    },
  )
}

function buildGitHub({
  runners = [],
  queued = [],
  running = [],
  otherRunners = [],
  ...lane
}: LaneCase): Snapshot['github'] {
  const refused = blind('forbidden', '403')
  const listed = [...runners.flatMap((one) => githubRunner(one)), ...otherRunners]
  const jobs = [...queued.map(queuedJob), ...running, ...runners.flatMap((one) => runningJob(one))]
  return {
    runners: lane.areRunnersBlind === true ? refused : seenList(listed),
    queuedJobs: lane.isQueueBlind === true ? refused : seenList(jobs),
    jobs: blind('not-asked', ''),
    rateLimit: blind('not-asked', ''),
  }
}

function scaleSet(max: number | undefined, template: Fields): Fields {
  return {
    metadata: {
      namespace: 'arc',
      name: 'linux',
      creationTimestamp: ago(9e6),
      labels: { 'app.kubernetes.io/version': '0.14.2' },
    },
    spec: {
      githubConfigUrl: 'https://github.com/org',
      ...(max === undefined ? {} : { maxRunners: max }),
      template: { spec: template },
    },
    status: { phase: 'Running' },
  }
}

const LISTENER: Fields = {
  metadata: { namespace: 'sys', name: 'linux-listener', creationTimestamp: ago(9e6) },
  spec: { autoscalingRunnerSetNamespace: 'arc', autoscalingRunnerSetName: 'linux' },
}

function listenerPod(state: Fields | undefined): Fields {
  return {
    metadata: { namespace: 'sys', name: 'linux-listener', uid: 'l', creationTimestamp: ago(8e6) },
    spec: { nodeName: 'a', containers: [{ name: 'listener' }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'listener', state: state ?? { running: { startedAt: ago(8e6) } } }],
    },
  }
}

const labels = { 'actions.github.com/scale-set-name': 'linux', 'actions-ephemeral-runner': 'True' }

function runnerRecord({ name, status, repository, age = 900 }: RunnerCase): Fields {
  const job = repository === undefined ? {} : { jobId: 'j', jobRepositoryName: repository, jobWorkflowRef: 'w' }
  return {
    metadata: { namespace: 'arc', name, creationTimestamp: ago(age * 1000), labels },
    spec: { githubConfigUrl: 'https://github.com/org' },
    status: status ?? { phase: 'Running', ready: true, runnerId: 1, runnerName: name, ...job },
  }
}

function runnerPod({ name, pod, age = 900 }: RunnerCase, template: Fields): readonly Fields[] {
  if (pod === null) return []
  const made = {
    metadata: {
      namespace: 'arc',
      name,
      uid: name,
      creationTimestamp: ago(age * 1000),
      labels,
      ownerReferences: [{ kind: 'EphemeralRunner', name }],
    },
    spec: { nodeName: 'a', ...template },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(age * 1000) }],
      containerStatuses: [{ name: 'runner', state: { running: { startedAt: ago(age * 1000) } } }],
    },
    ...pod,
  }
  return [made]
}

function githubRunner({ name, github, repository }: RunnerCase): readonly Fields[] {
  const state = github ?? (repository === undefined ? 'idle' : 'busy')
  if (state === 'absent') return []
  return [
    { name, status: state === 'offline' ? 'offline' : 'online', busy: state === 'busy', labels: [{ name: 'linux' }] },
  ]
}

function runningJob({ name, repository, age = 900 }: RunnerCase): readonly Fields[] {
  if (repository === undefined) return []
  const own = job(repository, age)
  return [{ ...own, status: 'in_progress', runner_name: name, started_at: ago(age * 1000), workflow_name: 'ci' }]
}

export function job(repository: string, age: number, labelled: readonly string[] = ['linux']): Fields {
  const run_url = `https://api.github.com/repos/${repository}/actions/runs/1`
  return { status: 'queued', labels: labelled, created_at: ago(age * 1000), run_url }
}

function queuedJob(given: number | Fields): Fields {
  return typeof given === 'number' ? job('org/web', given) : given
}

export function node(name: string, allocatable: Fields = {}, rest: Fields = {}): Fields {
  return {
    metadata: { name, labels: {} },
    status: {
      allocatable: { cpu: '16', memory: '64Gi', 'ephemeral-storage': '200Gi', pods: '110', ...allocatable },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
    ...rest,
  }
}

/** A pod that the scheduler refused. */
export function refusedPod(message: string): Fields {
  return {
    spec: { containers: [{ name: 'runner', resources: { requests: REQUESTS } }] },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  }
}

export function waitingPod(reason: string): Fields {
  return {
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True' }],
      containerStatuses: [
        { name: 'runner', image: 'registry.example/runner:1', state: { waiting: { reason, message: 'x' } } },
      ],
    },
  }
}

export function otherPod(
  name: string,
  rest: { readonly spec?: Fields; readonly metadata?: Fields; readonly phase?: string } = {},
): Fields {
  return {
    metadata: { namespace: 'shop', name, ...rest.metadata },
    spec: { nodeName: 'a', containers: [], ...rest.spec },
    status: { phase: rest.phase ?? 'Running' },
  }
}

export const busy = (name: string, repository = 'org/web'): RunnerCase => ({ name, repository })
export const starting = (name: string, pod: Fields | null, age = 60): RunnerCase => ({
  name,
  pod,
  age,
  github: 'offline',
  status: { phase: 'Pending', runnerId: 1, runnerName: name },
})
