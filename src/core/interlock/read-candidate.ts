import { numberAt } from '#/core/basics/fields.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { readVitals } from '#/core/evidence/vitals.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { isDown } from '#/core/fleet/listener-state.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { describeJob } from '#/core/github/recorded-job.ts'
import type {
  CandidateSnapshot,
  GateTerms,
  GitHubRow,
  Identity,
  JobRecord,
  ListenerSeen,
} from './candidate-snapshot.ts'
import { githubFinder } from './github-finder.ts'
import { listReadings } from './list-readings.ts'
import { jobPodFinder } from './job-pods.ts'
import { readProcesses } from './processes.ts'
import { readAt } from './reading.ts'
import type { Reading } from './reading.ts'

/** Reads a runner's snapshot from the joined fleet. What only an act can know is blind. */
export type ReadCandidate = (state: RunnerState, terms: GateTerms) => CandidateSnapshot

/** Built once per view: a fleet does not change after it is read. */
export function candidateReader(view: RuntimeView): ReadCandidate {
  const known = READERS.get(view) ?? buildReader(view)
  READERS.set(view, known)
  return known
}

const READERS = new WeakMap<RuntimeView, ReadCandidate>()

function buildReader(view: RuntimeView): ReadCandidate {
  const { fleet } = view
  const github = githubFinder(fleet)
  const findJobPods = jobPodFinder(fleet)
  const lists = listReadings(view)
  const at = (source: string): number => sourceTime(fleet, source)
  return (state, terms) => {
    const { runner } = state
    const isRead = at('kubernetes/ephemeralrunners')
    const identity = readIdentity(state)
    const row = readAt(at('github/runners'), github.findRow(state))
    return {
      subject: { kind: 'EphemeralRunner', namespace: runner.namespace, name: runner.name },
      now: fleet.now,
      terms,
      proposed: identity,
      object: readAt(isRead, seen({ ...identity, isDeleting: state.isDeleting })),
      record: readAt(isRead, seen(readRecord(state))),
      github: row,
      githubJob: readAt(at('github/queued-jobs'), github.findUnfinishedJob(state)),
      deregistration: beforeRemoval(row),
      pod: readAt(at('kubernetes/pods'), readPodSigns(state, view, findJobPods)),
      processes: readAt(at('processes'), findProcesses(state, fleet)),
      log: readAt(at('logs'), readWork(state)),
      vitals: readVitalsLine(state, fleet),
      createdAt: readAt(isRead, runner.createdAt === null ? none() : seen(runner.createdAt)),
      listener: readAt(at('kubernetes/autoscalinglisteners'), readListener(state, view)),
      lists,
      room: readAt(fleet.now, blind('not-asked', 'only an act has a cap')),
      evidence: readAt(fleet.now, blind('not-asked', 'only the act stores the evidence')),
    }
  }
}

/** The end of the time that the source covers: a saved file is older than the rest. */
function sourceTime({ now, snapshot }: Fleet, source: string): number {
  return Math.min(now, snapshot.coverage?.get(source)?.to ?? now)
}

export function readIdentity({ runner }: RunnerState): Identity {
  const [owner] = runner.owners
  return {
    uid: runner.uid,
    generation: numberAt(runner.raw, 'metadata', 'generation'),
    owner: owner === undefined ? null : `${owner.kind} ${owner.name}`,
  }
}

const OURS = 'signalbox.dev/'

/** ARC's runners have no slot. */
function readRecord({ runner }: RunnerState): JobRecord {
  const keys = [...Object.keys(runner.labels), ...Object.keys(runner.annotations)]
  return {
    job: runner.job === null ? null : describeJob(runner.job),
    slot: null,
    mark: keys.find((key) => key.startsWith(OURS)) ?? null,
  }
}

/** A runner that GitHub does not have needs no removal. */
function beforeRemoval({ observed, at }: Reading<GitHubRow>): CandidateSnapshot['deregistration'] {
  return observed.kind === 'none'
    ? readAt(at, none())
    : readAt(at, blind('not-asked', 'only the act asks GitHub to remove it'))
}

function readPodSigns(
  { runner, pod }: RunnerState,
  { fleet }: RuntimeView,
  findJobPods: (namespace: string, runner: string) => readonly string[],
): CandidateSnapshot['pod']['observed'] {
  const pods = findSource(fleet.snapshot, 'kubernetes/pods')
  if (pods.kind === 'blind') return pods
  const jobPods = findJobPods(runner.namespace, runner.name)
  if (pod === null) {
    const namesake = fleet.podAt(runner.namespace, runner.name)
    if (namesake !== null && !hasEnded(namesake))
      return blind('unsupported', 'the pod of its name belongs to another runner')
    return jobPods.length === 0 ? none() : seen({ phase: null, node: null, containers: [], jobPods })
  }
  return seen({ phase: pod.phase, node: pod.node, containers: pod.containers, jobPods })
}

const UNREAD = blind('not-asked', 'its processes were not read')

function findProcesses({ runner }: RunnerState, { snapshot }: Fleet): Observed<readonly string[]> {
  const text = snapshot.processes?.get(`${runner.namespace}/${runner.name}`) ?? UNREAD
  if (text.kind === 'none') return readProcesses('')
  if (text.kind === 'seen') return readProcesses(text.value)
  return text.reason.code === 'not-asked' ? UNREAD : text
}

function readWork({ log }: RunnerState): Observed<string> {
  if (!log.isRead) return blind('not-asked', 'its log was not read')
  return log.working === null ? none() : seen(log.working.text.trim())
}

/** A line every 15 seconds. */
const MOST_AHEAD_MS = 15_000

/** The last line counts: an older one says nothing about now. */
function readVitalsLine({ log }: RunnerState, { now }: Fleet): CandidateSnapshot['vitals'] {
  const vitals = log.vitals === null ? null : readVitals(log.vitals.text)
  const { listeners = null, workers = null } = vitals ?? {}
  if (vitals === null || listeners === null || workers === null) {
    return readAt(now, blind('not-asked', 'its log has no vitals line that counts the runner processes'))
  }
  // By a clock that is ahead an old line looks fresh.
  return vitals.at > now + MOST_AHEAD_MS
    ? readAt(now, blind('expired', 'its last vitals line is from the future: how old it is, is not known'))
    : readAt(Math.min(now, vitals.at), seen({ listeners, workers }))
}

function readListener(state: RunnerState, view: RuntimeView): Observed<ListenerSeen> {
  const set = view.findSet(state)
  const sets = findSource(view.fleet.snapshot, 'kubernetes/autoscalingrunnersets')
  if (set === null) return sets.kind === 'blind' ? sets : none()
  const { condition, evidence } = set.listener
  const [first = ''] = evidence
  if (condition === 'unknown') {
    const listeners = findSource(view.fleet.snapshot, 'kubernetes/autoscalinglisteners')
    return listeners.kind === 'blind' ? listeners : blind('unsupported', first)
  }
  return seen({ condition, isDown: isDown(set.listener), evidence: first })
}
