import { printAge } from '#/core/basics/age.ts'
import type { GateAnswer } from '#/core/audit/finding.ts'
import { numberAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { isGone, isNotBusy, describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { findRunner } from '#/core/kubernetes/runner-container.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { RuntimeView } from './view.ts'

/** What GitHub must say about a runner: `gone` for one that should be offline, `not-busy` for one that may be online. */
export type Demand = 'gone' | 'not-busy'

/**
 * What a snapshot shows of the gates before a runner's removal. An unknown gate does not hold: an act reads
 * again and checks all gates again.
 */
export function gatesFor(state: RunnerState, view: RuntimeView, demand: Demand): readonly GateAnswer[] {
  return [
    identity(state),
    noJobOnRecord(state),
    githubNotBusy(state, demand),
    noJobNamesIt(state, view.fleet),
    deregistered(state),
    noWorker(state, view.fleet),
    oldEnough(state, view.fleet),
    listenerKnown(state, view),
    completeRead(view),
    gate('within-cap', false, 'an audit removes nothing: the cap is checked by the act'),
    gate('evidence-stored', false, 'an audit stores nothing: collect the evidence first'),
  ]
}

/** For an act on several runners a gate holds only if it holds for each. */
export function gatesForAll(states: readonly RunnerState[], view: RuntimeView, demand: Demand): readonly GateAnswer[] {
  const answers = states.map((state) => ({ state, gates: gatesFor(state, view, demand) }))
  const [first] = answers
  if (first === undefined) return []
  return first.gates.map((own, index) => {
    const refusing = answers.find(({ gates }) => gates[index]?.holds !== true)
    if (refusing === undefined) return gate(own.gate, true, `for all ${states.length}; for the first: ${own.why}`)
    return gate(own.gate, false, `${refusing.state.runner.name}: ${refusing.gates[index]?.why ?? ''}`)
  })
}

function gate(name: string, holds: boolean, why: string): GateAnswer {
  return { gate: name, holds, why }
}

function identity({ runner }: RunnerState): GateAnswer {
  const { uid, raw, runnerSetName } = runner
  if (uid === null) return gate('identity', false, 'the object has no UID')
  const generation = numberAt(raw, 'metadata', 'generation')
  return gate(
    'identity',
    true,
    `UID ${uid}, generation ${generation ?? 'unknown'}, owned by ${runnerSetName || 'nobody'}`,
  )
}

const OURS = 'signalbox.dev/'

function noJobOnRecord({ runner }: RunnerState): GateAnswer {
  const mark = [...Object.keys(runner.labels), ...Object.keys(runner.annotations)].find((key) => key.startsWith(OURS))
  if (runner.job !== null) {
    return gate('no-job-on-record', false, `the EphemeralRunner names ${runner.job.name ?? runner.job.id ?? 'a job'}`)
  }
  return mark === undefined
    ? gate('no-job-on-record', true, 'no job field of the EphemeralRunner is set')
    : gate('no-job-on-record', false, `it has ${mark}`)
}

function githubNotBusy({ github }: RunnerState, demand: Demand): GateAnswer {
  return gate('github-not-busy', demand === 'gone' ? isGone(github) : isNotBusy(github), describeGitHubStatus(github))
}

function noJobNamesIt({ runner }: RunnerState, fleet: Fleet): GateAnswer {
  const name = 'github-no-job-names-it'
  if (runner.githubJob !== null) return gate(name, false, `job ${runner.githubJob.id ?? ''} in progress names it`)
  return fleet.saw('github/queued-jobs')
    ? gate(name, true, 'no job in progress names it')
    : gate(name, false, "GitHub's unfinished jobs could not be read")
}

function deregistered({ github }: RunnerState): GateAnswer {
  return github.kind === 'absent'
    ? gate('github-deregistered', true, describeGitHubStatus(github))
    : gate('github-deregistered', false, 'GitHub was not asked to remove it')
}

function noWorker({ pod }: RunnerState, fleet: Fleet): GateAnswer {
  const name = 'no-worker-process'
  if (!fleet.saw('kubernetes/pods')) return gate(name, false, 'the pods could not be read')
  if (pod === null) return gate(name, true, 'there is no pod')
  if (hasEnded(pod)) return gate(name, true, 'its pod has ended')
  const choice = findRunner(pod.containers)
  if (choice.kind === 'ambiguous') {
    const names = choice.candidates.map((container) => container.name)
    return gate(name, false, `which container is the runner's is not known: ${names.join(', ')}`)
  }
  const container = choice.kind === 'found' ? choice.container : null
  if (container?.state.kind === 'terminated') return gate(name, true, 'its pod has ended')
  if (container?.state.kind === 'waiting' && container.last.kind === 'unknown') {
    return gate(name, true, 'the runner container has not started')
  }
  return gate(name, false, 'its processes were not read')
}

function oldEnough({ runner }: RunnerState, { now, thresholds }: Fleet): GateAnswer {
  const holds = runner.createdAt !== null && now - runner.createdAt > thresholds.cleanupAge
  return gate('old-enough', holds, `it is ${printAge(runner.createdAt, now)} old`)
}

function listenerKnown(state: RunnerState, view: RuntimeView): GateAnswer {
  const set = view.findSet(state)
  if (set === null) return gate('listener-known', false, 'its scale set was not read')
  const { condition, evidence } = set.listener
  return gate('listener-known', condition !== 'unknown', `${condition}: ${evidence[0] ?? ''}`)
}

const LISTS = [
  'kubernetes/ephemeralrunners',
  'kubernetes/ephemeralrunnersets',
  'kubernetes/autoscalinglisteners',
  'kubernetes/pods',
  'github/runners',
  'github/queued-jobs',
]

function completeRead({ fleet, readyRunners }: RuntimeView): GateAnswer {
  const blind = LISTS.filter((source) => !fleet.saw(source))
  if (blind.length > 0) return gate('complete-read', false, `could not be read completely: ${blind.join(', ')}`)
  // GitHub's list cannot be empty while runners are ready.
  return fleet.githubRunners.length === 0 && readyRunners > 0
    ? gate('complete-read', false, `GitHub's list is empty although ${readyRunners} runners are ready`)
    : gate('complete-read', true, 'all lists were complete')
}
