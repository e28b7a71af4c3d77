import type { BundleSubject } from '#/core/evidence/bundle-meta.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import type { BundleDraft, BundleFile } from '#/ports/bundle.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import { arcLogOrders, hookLogOrders } from '#/runtime/collect/pods/arc-pods.ts'
import { gatherAuditLog } from '#/runtime/collect/sources/audit-log-evidence.ts'
import { gatherCluster, unfoundNames } from './cluster-evidence.ts'
import type { ClusterEvidence, Search } from './cluster-evidence.ts'
import { gatherLog } from '#/runtime/collect/pods/container-logs.ts'
import { gatherFleet } from '#/runtime/collect/fleet/fleet-evidence.ts'
import { gatherDetails } from '#/runtime/collect/github/github-details.ts'
import { gatherAskedJobs, gatherJobsOfRunners, runsOfRunners } from '#/runtime/collect/github/github-jobs.ts'
import type { FoundJob } from '#/runtime/collect/github/github-jobs.ts'
import {
  listConfigUrls,
  gatherRateLimit,
  gatherRunners,
  findRegistrations,
} from '#/runtime/collect/github/github-places.ts'
import { gatherHost, gatherJournal } from '#/runtime/collect/sources/host-evidence.ts'
import { gatherStoredJournal, gatherStoredLogs } from '#/runtime/collect/sources/stored-logs.ts'
import { gatherNode } from '#/runtime/collect/fleet/node-evidence.ts'
import { isFleet } from '#/runtime/collect/request/request.ts'
import type { CollectRequest, Means } from '#/runtime/collect/request/request.ts'
import { planSearch } from './plan-search.ts'
import { buildSubject } from '#/runtime/collect/request/build-subject.ts'
import type { Target } from '#/runtime/collect/request/targets.ts'
import { chooseWindow } from '#/runtime/collect/request/window.ts'
import type { Window } from '#/runtime/collect/request/window.ts'

/** A bundle in the making. Its files are read from the world while they are taken, in the order of their haste. */
export type Evidence = BundleDraft & {
  /** Whether any source could be read. Known when the files have been taken. */
  readonly hasLooked: () => boolean
  /** Names of the question that nothing knows. Known when the files have been taken. */
  readonly unfound: () => readonly string[]
  /** Whether anything that was read knows the subject. Known when the files have been taken. */
  readonly isKnown: () => boolean
}

export function collectEvidence(request: CollectRequest): Evidence {
  const answers = createAnswers()
  // The beginning, so that every source has looked up to then.
  const collectedAt = request.clock.now()
  let gathered: Gathered = { subject: {}, unfound: [], isKnown: true }
  async function* files(): AsyncGenerator<BundleFile> {
    gathered = yield* gather({ request, answers }, collectedAt)
  }
  return {
    files: files(),
    meta: () => ({ collectedAt, subject: gathered.subject, sources: answers.sources() }),
    hasLooked: answers.hasLooked,
    unfound: () => gathered.unfound,
    isKnown: () => gathered.isKnown,
  }
}

type Gathered = {
  readonly subject: BundleSubject
  readonly unfound: readonly string[]
  readonly isKnown: boolean
}

async function* gather(means: Means, now: number): AsyncGenerator<BundleFile, Gathered> {
  const { request } = means
  if (isFleet(request)) {
    yield* gatherFleet(means, now)
    return { subject: {}, unfound: [], isKnown: true }
  }
  const asked = yield* gatherAskedJobs(means)
  const search = planSearch(
    request,
    asked.map(({ facts }) => facts),
  )
  const cluster = yield* gatherCluster(means, search)
  // GitHub has been asked for all jobs of a run: that of one runner would pass for the whole.
  const isAsked = asked.length > 0 || request.subject?.kind === 'run'
  const own = isAsked ? asked : yield* gatherOwnJobs(means, cluster)
  const starts = [
    ...cluster.targets.map(({ pod }) => pod?.startedAt ?? pod?.createdAt ?? null),
    ...own.map(({ facts }) => facts.startedAt),
  ]
  const window = chooseWindow(request.window, starts, now)
  yield* gatherLate(means, { cluster, search, window })
  yield* gatherGitHub(means, own, cluster)
  return summarizeFound(request, { cluster, search, jobs: own.map(({ facts }) => facts) })
}

function summarizeFound(
  { subject: asked }: CollectRequest,
  {
    cluster: { wanted, targets },
    search,
    jobs,
  }: { readonly cluster: ClusterEvidence; readonly search: Search; readonly jobs: readonly WorkflowJobFacts[] },
): Gathered {
  const isOfRun = asked?.kind === 'run' || (search.run !== null && targets.length > 0)
  const subject = buildSubject(asked, { targets, jobs, isOfRun })
  const unfound = unfoundNames(wanted, targets)
  const isKnown = targets.length > 0 || (asked?.kind !== 'pod' && jobs.length > 0)
  return { subject, unfound: isKnown || unfound.length > 0 ? unfound : describeAsked(asked), isKnown }
}

/** For the messages: what the question named where that led to no runner. */
function describeAsked(subject: SubjectArgument | null): readonly string[] {
  if (subject === null || subject.kind === 'pod') return []
  const { kind, id, repository } = subject
  return [repository === null ? `job or run ${id}` : `${kind} ${id} of ${repository}`]
}

function gatherOwnJobs(
  means: Means,
  { wanted, targets, runners }: ClusterEvidence,
): AsyncGenerator<BundleFile, readonly FoundJob[]> {
  const pods = new Set(targets.flatMap(({ subject }) => subject.pod ?? []))
  const names = new Set([...pods, ...wanted.map(({ name }) => name)])
  return gatherJobsOfRunners(means, names, runsOfRunners(runners, pods))
}

/** What stays for a while: the node, ARC, the machine, the audit log. */
async function* gatherLate(
  means: Means,
  { cluster, search, window }: { readonly cluster: ClusterEvidence; readonly search: Search; readonly window: Window },
): AsyncGenerator<BundleFile> {
  const { thisNode } = means.request
  const { targets, pods } = cluster
  const nodes = new Set(targets.flatMap(({ subject }) => subject.node ?? []))
  const names = new Set(targets.flatMap(({ subject }) => subject.pod ?? []))
  const others = pods.filter((pod) => !targets.some((target) => isTargetPod(target, pod)))
  for (const order of [...hookLogOrders(others, names, window.from), ...arcLogOrders(others, window.from)]) {
    means.request.progress(`reading the log of ${order.pod}`)
    yield* gatherLog(means, order)
  }
  const own = new Set([...nodes, ...(thisNode === null ? [] : [thisNode.name])])
  for (const node of own) yield* gatherNode(means, node)
  yield* gatherHost(means)
  yield* gatherJournal(means, window)
  for (const node of nodes) yield* gatherStoredJournal(means, node, window)
  for (const target of targets) yield* gatherKept(means, target, window)
  const namespaces = new Set([
    ...(search.namespaces ?? []),
    ...targets.flatMap(({ subject }) => subject.namespace ?? []),
  ])
  yield* gatherAuditLog(means, { namespaces: namespaces.size === 0 ? null : namespaces, nodes: own, window })
}

function gatherKept(means: Means, { subject, containers }: Target, window: Window): AsyncGenerator<BundleFile> {
  const { namespace, pod } = subject
  return gatherStoredLogs(means, { namespace: namespace ?? '', pod: pod ?? '', containers }, window)
}

/** Somebody may ask for ARC's own pods too: their logs have been read then. */
function isTargetPod({ subject }: Target, pod: object): boolean {
  return subject.pod === textAt(pod, 'metadata', 'name') && subject.namespace === textAt(pod, 'metadata', 'namespace')
}

async function* gatherGitHub(
  means: Means,
  jobs: readonly FoundJob[],
  cluster: ClusterEvidence,
): AsyncGenerator<BundleFile> {
  const { subject, places } = means.request
  const pods = new Set(cluster.targets.flatMap(({ subject: target }) => target.pod ?? []))
  const records = cluster.runners.filter((runner) => pods.has(textAt(runner, 'metadata', 'name') ?? ''))
  const repositories = [...new Set([...jobs.map(({ repository }) => repository), ...places.repositories])]
  const known = { repositories, organizations: places.organizations, configUrls: listConfigUrls(records) }
  const registrations = findRegistrations(known)
  yield* gatherDetails(means, jobs, subject?.kind === 'run' ? subject.attempt : null)
  yield* gatherRunners(means, registrations)
  yield* gatherRateLimit(means, registrations)
}
