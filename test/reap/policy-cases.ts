import { textAt, toFields } from '#/core/basics/fields.ts'
import type { PolicyId } from '#/core/interlock/policy.ts'
import { recordedObjects } from '#test/cluster/recorded-arc.ts'
import { REPOSITORY } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

/** A fleet in which one policy has something to remove, and how that changes while `reap` waits for its turn. */
export type PolicyCase = {
  readonly recording: string
  /** Makes it what the policy is about. */
  readonly prepare: (fleet: SimulatedFleet) => void | Promise<void>
  readonly goes: readonly string[]
  /** The runners that must stay. */
  readonly stays: readonly string[]
  /** The EphemeralRunnerSet that is scaled instead. */
  readonly scales?: string
  /** Nothing of it works, and yet the policy has nothing against it any more. */
  readonly recover: (fleet: SimulatedFleet) => void | Promise<void>
  /** What decides then. */
  readonly recovered: string
  /** Why the policy removes nothing from the start: a record that its gates refuse. */
  readonly refused?: string
}

const IDLE = '0.14.2-healthy-idle'
export const [ONE, TWO, THIRD] = [
  'linux-x64-462sz-runner-2ltbc',
  'linux-x64-462sz-runner-m5jlv',
  'docker-build-cggwt-runner-z7mzr',
] as const
const [FAILED, ...OTHERS] = ['66nrx', 'njxwc', 'rpskt', 'rtcs4'].map((end) => `tiny-qmb6s-runner-${end}`)
const idOf = ({ ids }: SimulatedFleet, name: string): number => ids.get(name) ?? 0

/** After the line of the vitals, which count no worker. */
function says({ api }: SimulatedFleet, runner: string, ...lines: readonly string[]): void {
  const before = api.readLog
  api.readLog = (pod) => {
    const time = new Date().toISOString()
    return `${before(pod)}${pod === runner ? lines.map((line) => `${time} ${line}\n`).join('') : ''}`
  }
}

function vanish(fleet: SimulatedFleet, name: string): void {
  fleet.sim.world.runnerVanishes(idOf(fleet, name))
}

const removeAtGitHub = ({ sim }: SimulatedFleet, id: number) =>
  sim.world.removeRunner({ kind: 'repository', fullName: REPOSITORY }, id)

/** ARC has made the object, and GitHub gave it no configuration. */
function withoutRegistration(fleet: SimulatedFleet): void {
  const runner = toFields(fleet.api.find('ephemeralrunners', ONE))
  fleet.api.put('ephemeralrunners', { ...runner, status: {} })
  fleet.api.drop('pods', ONE)
  removeAtGitHub(fleet, idOf(fleet, ONE))
}

/** GitHub completed it an hour ago, and the listener has recorded it. */
function endJob(fleet: SimulatedFleet): void {
  const job = fleet.sim.world.queueJob({ repository: REPOSITORY, labels: [ONE] })
  fleet.sim.world.assign()
  fleet.sim.world.startJob(job.id)
  fleet.sim.world.completeJob(job.id)
  fleet.clock.aheadMs += 3_600_000
  const status = { jobId: '77', jobDisplayName: 'build', jobRepositoryName: REPOSITORY, workflowRunId: job.run }
  fleet.api.change('ephemeralrunners', ONE, { status })
}

function makeGeneration({ api }: SimulatedFleet): void {
  const old = toFields(api.find('ephemeralrunnersets', 'linux-x64-462sz'))
  const metadata = { ...toFields(old['metadata']), name: 'linux-x64-newer', uid: 'newer' }
  api.put('ephemeralrunnersets', { ...old, metadata: { ...metadata, creationTimestamp: '2020-11-16T00:00:00Z' } })
}

async function makeListener({ api }: SimulatedFleet): Promise<void> {
  const listeners = await recordedObjects(IDLE, 'autoscalinglisteners')
  const listener = listeners.find(({ metadata }) => metadata.name.startsWith('docker-build'))
  if (listener === undefined) throw new Error('the recording has no listener')
  api.put('autoscalinglisteners', listener)
}

const SKIPPED = 'Skipping message Job. Job message not found: job was canceled'

export const POLICY_CASES: Readonly<Record<PolicyId, PolicyCase>> = {
  offline: {
    recording: IDLE,
    prepare: (fleet) => vanish(fleet, ONE),
    goes: [ONE],
    stays: [TWO, THIRD],
    recover: (fleet) => void fleet.sim.world.runnerComesOnline(idOf(fleet, ONE)),
    recovered: 'github-not-busy',
  },
  zombie: {
    recording: IDLE,
    prepare: (fleet) => {
      vanish(fleet, ONE)
      says(fleet, ONE, 'Error: Conflict. Retrying until reconnected.')
    },
    goes: [ONE],
    stays: [TWO, THIRD],
    recover: (fleet) => says(fleet, ONE, 'Listening for Jobs'),
    recovered: 'identity',
  },
  'never-registered': {
    recording: IDLE,
    prepare: withoutRegistration,
    goes: [ONE],
    stays: [TWO, THIRD],
    recover: ({ api }) => api.change('ephemeralrunners', ONE, { status: { runnerId: 9999, phase: 'Pending' } }),
    recovered: 'identity',
  },
  failed: {
    recording: '0.14.2-runner-rejected-by-limitrange',
    prepare: (fleet) => {
      for (const name of OTHERS) fleet.api.change('ephemeralrunners', name, { status: { phase: 'Pending' } })
      for (const id of fleet.ids.values()) fleet.sim.world.runnerVanishes(id)
    },
    goes: [FAILED ?? ''],
    stays: OTHERS,
    recover: ({ api }) => api.change('ephemeralrunners', FAILED ?? '', { status: { phase: 'Pending' } }),
    recovered: 'identity',
  },
  hung: {
    recording: IDLE,
    prepare: endJob,
    goes: [ONE],
    stays: [TWO, THIRD],
    recover: ({ api }) => api.change('pods', ONE, { status: { phase: 'Succeeded' } }),
    recovered: 'no-job-on-record',
    refused: 'no-job-on-record',
  },
  handoff: {
    recording: IDLE,
    prepare: (fleet) => {
      says(fleet, ONE, SKIPPED)
      fleet.sim.world.queueJob({ repository: REPOSITORY, labels: ['linux-x64'] })
    },
    goes: [ONE],
    stays: [TWO, THIRD],
    recover: ({ sim }) => {
      for (const { id } of sim.world.runs()) sim.world.cancelRun(id)
    },
    recovered: 'identity',
  },
  excess: {
    recording: IDLE,
    prepare: ({ api }) => {
      api.change('ephemeralrunnersets', 'linux-x64-462sz', { spec: { replicas: 1 } })
      api.change('ephemeralrunners', ONE, { metadata: { creationTimestamp: '2020-11-14T00:00:00Z' } })
    },
    goes: [ONE],
    stays: [TWO, THIRD],
    recover: ({ api }) => api.change('ephemeralrunnersets', 'linux-x64-462sz', { spec: { replicas: 2 } }),
    recovered: 'identity',
  },
  'stale-generation': {
    recording: IDLE,
    prepare: (fleet) => {
      makeGeneration(fleet)
      const { api } = fleet
      // The other one belongs to the newer generation.
      const other = toFields(api.find('ephemeralrunners', TWO))
      const metadata = toFields(other['metadata'])
      const [owner] = metadata['ownerReferences'] as readonly object[]
      const ownerReferences = [{ ...owner, name: 'linux-x64-newer', uid: 'newer' }]
      api.put('ephemeralrunners', { ...other, metadata: { ...metadata, ownerReferences } })
    },
    goes: [ONE],
    stays: [TWO, THIRD],
    recover: ({ api }) => api.drop('ephemeralrunnersets', 'linux-x64-newer'),
    recovered: 'identity',
  },
  wedge: {
    recording: '0.13.1-wedged-values-change',
    prepare: () => undefined,
    goes: ['docker-build-b4v2b-runner-bktk8', 'docker-build-b4v2b-runner-p7zwb'],
    stays: ['linux-x64-pzlvp-runner-4d2zz', 'linux-x64-pzlvp-runner-mjzh8'],
    scales: 'docker-build-b4v2b',
    recover: makeListener,
    recovered: 'identity',
  },
}

/** GitHub gives it a job, and the listener records that. */
export function startWork(fleet: SimulatedFleet, name: string): void {
  const id = idOf(fleet, name)
  if (fleet.sim.world.runner(id) !== undefined) {
    fleet.sim.world.runnerComesOnline(id)
    fleet.giveJob(name)
  }
  if (textAt(fleet.api.find('ephemeralrunners', name), 'status', 'jobId') !== null) return
  fleet.api.change('ephemeralrunners', name, { status: { jobId: '78', jobDisplayName: 'test' } })
}
