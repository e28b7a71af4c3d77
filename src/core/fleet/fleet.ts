import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { markPartialReads } from './partial-read.ts'
import { readController } from '#/core/fleet/controller.ts'
import type { Controller } from '#/core/fleet/controller.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { readFleetJob, readGitHubRunner } from '#/core/fleet/github-facts.ts'
import type { FleetJob, GitHubRunner } from '#/core/fleet/github-facts.ts'
import { listLanes } from '#/core/fleet/lane.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import { readNodeRecord } from '#/core/kubernetes/node-record.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { readOverheads } from '#/core/kubernetes/pod-request.ts'
import type { Overheads } from '#/core/kubernetes/pod-request.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { listPools } from '#/core/fleet/pool.ts'
import type { Pool } from '#/core/fleet/pool.ts'
import { readListener, readRunnerRecord, readRunnerSet, readScaleSet } from '#/core/fleet/scale-set.ts'
import type { Listener, RunnerRecord, RunnerSet, ScaleSet } from '#/core/fleet/scale-set.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { findSource } from './find-source.ts'
import { DEFAULT_THRESHOLDS } from '#/core/fleet-file/thresholds.ts'
import type { Thresholds } from '#/core/fleet-file/thresholds.ts'
import type { Observed } from '#/core/basics/observed.ts'

/** A runner, joined from ARC, Kubernetes and GitHub. */
export type Runner = RunnerRecord & {
  readonly pod: PodRecord | null
  readonly github: GitHubRunner | null
  /** A job in progress that names this runner. */
  readonly githubJob: FleetJob | null
  /** The newest job at GitHub that names it, completed or not. */
  readonly namedBy: FleetJob | null
}

/**
 * The whole fleet, joined. The rows of a blind source are an empty list here: check `saw` before you conclude
 * anything from absence.
 */
export type Fleet = {
  readonly now: number
  readonly snapshot: Snapshot
  readonly declared: FleetFile
  readonly thresholds: Thresholds
  readonly controllers: readonly Controller[]
  readonly sets: readonly ScaleSet[]
  readonly listeners: readonly Listener[]
  readonly runnerSets: readonly RunnerSet[]
  readonly runners: readonly Runner[]
  readonly pods: readonly PodRecord[]
  readonly nodes: readonly NodeRecord[]
  readonly pools: readonly Pool[]
  readonly lanes: readonly Lane[]
  readonly events: readonly EventFacts[]
  readonly overheads: Overheads
  readonly githubRunners: readonly GitHubRunner[]
  /** Jobs from the list of unfinished ones and those fetched one by one. */
  readonly jobs: readonly FleetJob[]
  readonly podAt: (namespace: string, name: string) => PodRecord | null
  readonly podsOn: (node: string) => readonly PodRecord[]
  readonly rows: (resource: BundleResource) => readonly Fields[]
  /** Whether a source could be read. */
  readonly saw: (source: string) => boolean
}

export function readFleet(given: Snapshot): Fleet {
  const snapshot = markPartialReads(given)
  const rows = (resource: BundleResource): readonly Fields[] => listRows(snapshot.lists.get(resource))
  const declared = snapshot.fleetFile.kind === 'seen' ? snapshot.fleetFile.value : {}
  const pods = rows('pods').map(readPodRecord)
  const byName = new Map(pods.map((pod) => [`${pod.namespace}/${pod.name}`, pod]))
  const byNode = Map.groupBy(pods, ({ node }) => node)
  const nodes = rows('nodes').map(readNodeRecord)
  const sets = rows('autoscalingrunnersets').map(readScaleSet)
  const githubRunners = listRows(snapshot.github.runners).map(readGitHubRunner)
  const jobs = mergeJobs(snapshot)
  return {
    now: snapshot.now,
    snapshot,
    declared,
    thresholds: { ...DEFAULT_THRESHOLDS, ...declared.thresholds },
    controllers: rows('deployments').flatMap((deployment) => readController(deployment) ?? []),
    sets,
    listeners: rows('autoscalinglisteners').map(readListener),
    runnerSets: rows('ephemeralrunnersets').map(readRunnerSet),
    runners: joinRunners(rows('ephemeralrunners').map(readRunnerRecord), { pods, githubRunners, jobs }),
    pods,
    nodes,
    pools: listPools(nodes, declared),
    lanes: listLanes(sets, declared),
    events: rows('events').map(readEvent),
    overheads: readOverheads(rows('runtimeclasses')),
    githubRunners,
    jobs,
    podAt: (namespace, name) => byName.get(`${namespace}/${name}`) ?? null,
    podsOn: (node) => byNode.get(node) ?? [],
    rows,
    saw: (source) => findSource(snapshot, source).kind !== 'blind',
  }
}

function listRows<T>(observed: Observed<readonly T[]> | undefined): readonly T[] {
  return observed?.kind === 'seen' ? observed.value : []
}

/** A job fetched on its own is newer than its row in the list, unless the row is in progress and the job is not completed. */
function mergeJobs({ github }: Snapshot): readonly FleetJob[] {
  const listed = listRows(github.queuedJobs).map(readFleetJob)
  const running = new Set(listed.filter(({ status }) => status === 'in_progress').map(({ id }) => id))
  const single = listRows(github.jobs)
    .map(readFleetJob)
    .filter(({ id, status }) => status === 'completed' || !running.has(id))
  const known = new Set(single.map(({ id }) => id))
  return [...single, ...listed.filter(({ id }) => id === null || !known.has(id))]
}

/** By its owner: a list can also have the pod of an earlier runner with the same name. The last one counts where owners are not known. */
function pickOwnPod({ uid }: RunnerRecord, pods: readonly PodRecord[]): PodRecord | null {
  const owner = (pod: PodRecord) => pod.ownerKinds.find(({ kind }) => kind === 'EphemeralRunner')?.uid ?? null
  return (
    pods.findLast((pod) => owner(pod) !== null && owner(pod) === uid) ??
    pods.findLast((pod) => owner(pod) === null || uid === null) ??
    null
  )
}

function joinRunners(
  records: readonly RunnerRecord[],
  sources: {
    readonly pods: readonly PodRecord[]
    readonly githubRunners: readonly GitHubRunner[]
    readonly jobs: readonly FleetJob[]
  },
): readonly Runner[] {
  const namesakes = Map.groupBy(sources.pods, ({ namespace, name }) => `${namespace}/${name}`)
  const byLabel = Map.groupBy(sources.githubRunners, ({ name }) => name.toLowerCase())
  const jobs = Map.groupBy(sources.jobs, ({ runner }) => (runner ?? '').toLowerCase())
  // Ids are not unique across organisations: use them only if a job has no runner name.
  const jobsById = Map.groupBy(
    sources.jobs.filter(({ runner }) => runner === null),
    ({ runnerId }) => runnerId,
  )
  return records.map((record): Runner => {
    const label = record.runnerName.toLowerCase()
    const rows = byLabel.get(label) ?? []
    const named = [
      ...((label === '' ? undefined : jobs.get(label)) ?? []),
      ...(record.runnerId === null ? [] : (jobsById.get(record.runnerId) ?? [])),
    ]
    return Object.assign({}, record, {
      pod: pickOwnPod(record, namesakes.get(`${record.namespace}/${record.name}`) ?? []),
      github: likeliestBusy(rows),
      githubJob: named.find(({ status }) => status === 'in_progress') ?? null,
      namedBy: named.toSorted((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0))[0] ?? null,
    })
  })
}

/** Of several matching rows prefer a busy one: keeping a runner is better than removing a working one. */
function likeliestBusy(rows: readonly GitHubRunner[]): GitHubRunner | null {
  return rows.find(({ isBusy }) => isBusy) ?? rows.find(({ isOnline }) => isOnline) ?? rows[0] ?? null
}

export type JobProof = 'record' | 'github-busy' | 'github-job'

/** The proofs that the runner has a job. One is enough; none proves nothing if a source is blind. */
export function jobProofs({ job, github, githubJob }: Runner): readonly JobProof[] {
  return [
    ...(job === null ? [] : (['record'] as const)),
    ...(github?.isBusy === true ? (['github-busy'] as const) : []),
    ...(githubJob === null ? [] : (['github-job'] as const)),
  ]
}

/** The runners of one set, by ARC's label and namespace. */
export function listRunners(fleet: Fleet, { namespace, name }: { readonly namespace: string; readonly name: string }) {
  return fleet.runners.filter((runner) => runner.namespace === namespace && runner.setName === name)
}
