import type { BundleSubject } from '#/core/bundle-meta.ts'
import { textAt } from '#/core/fields.ts'
import type { BundleDraft, BundleFile } from '#/ports/bundle.ts'
import { createAnswers } from './answers.ts'
import { arcLogOrders, hookLogOrders } from './arc-pods.ts'
import { gatherAudit } from './audit-evidence.ts'
import { gatherCluster, unfoundNames } from './cluster-evidence.ts'
import type { ClusterEvidence, Search } from './cluster-evidence.ts'
import { gatherLog } from './container-logs.ts'
import { gatherFleet } from './fleet-evidence.ts'
import { gatherDetails } from './github-details.ts'
import { gatherAskedJobs, gatherJobsOfRunners, runsOfRunners } from './github-jobs.ts'
import type { FoundJob } from './github-jobs.ts'
import { configUrlsOf, gatherRateLimit, gatherRunners, registrationsOf } from './github-places.ts'
import { gatherHost, gatherJournal } from './host-evidence.ts'
import { gatherNode } from './node-evidence.ts'
import { isFleet } from './request.ts'
import type { CollectRequest, Means } from './request.ts'
import { searchOf } from './search-of.ts'
import { subjectOf } from './subject-of.ts'
import type { Target } from './targets.ts'
import { windowOf } from './window.ts'
import type { Window } from './window.ts'

/** A bundle in the making. Its files are read from the world while they are taken, in the order of their haste. */
export type Evidence = BundleDraft & {
  /** Whether any source could be read. Known when the files have been taken. */
  readonly hasLooked: () => boolean
  /** Names of the question that nothing knows. Known when the files have been taken. */
  readonly unfound: () => readonly string[]
}

export function collectEvidence(request: CollectRequest): Evidence {
  const answers = createAnswers()
  // The beginning, so that every source has looked up to then.
  const collectedAt = request.clock.now()
  let gathered: Gathered = { subject: {}, unfound: [] }
  async function* files(): AsyncGenerator<BundleFile> {
    gathered = yield* gather({ request, answers }, collectedAt)
  }
  return {
    files: files(),
    meta: () => ({ collectedAt, subject: gathered.subject, sources: answers.sources() }),
    hasLooked: answers.hasLooked,
    unfound: () => gathered.unfound,
  }
}

type Gathered = { readonly subject: BundleSubject; readonly unfound: readonly string[] }

async function* gather(means: Means, now: number): AsyncGenerator<BundleFile, Gathered> {
  const { request } = means
  if (isFleet(request)) {
    yield* gatherFleet(means, now)
    return { subject: {}, unfound: [] }
  }
  const asked = yield* gatherAskedJobs(means)
  const search = searchOf(
    request,
    asked.map(({ facts }) => facts),
  )
  const cluster = yield* gatherCluster(means, search)
  const own = asked.length > 0 ? asked : yield* gatherOwnJobs(means, search, cluster)
  const starts = [
    ...cluster.targets.map(({ pod }) => pod?.startedAt ?? pod?.createdAt ?? null),
    ...own.map(({ facts }) => facts.startedAt),
  ]
  const window = windowOf(request.window, starts, now)
  yield* gatherLate(means, { cluster, search, window })
  yield* gatherGitHub(means, own, cluster)
  const subject = subjectOf(request.subject, { targets: cluster.targets, jobs: own.map(({ facts }) => facts) })
  return { subject, unfound: unfoundNames(search.wanted, cluster.targets) }
}

function gatherOwnJobs(
  means: Means,
  { wanted }: Search,
  { targets, runners }: ClusterEvidence,
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
  const others = pods.filter((pod) => !targets.some((target) => isPodOf(target, pod)))
  for (const order of [...hookLogOrders(others, names, window.from), ...arcLogOrders(others, window.from)]) {
    means.request.progress(`reading the log of ${order.pod}`)
    yield* gatherLog(means, order)
  }
  const own = new Set([...nodes, ...(thisNode === null ? [] : [thisNode.name])])
  for (const node of own) yield* gatherNode(means, node)
  yield* gatherHost(means)
  yield* gatherJournal(means, window)
  const namespaces = new Set([
    ...(search.namespaces ?? []),
    ...targets.flatMap(({ subject }) => subject.namespace ?? []),
  ])
  yield* gatherAudit(means, { namespaces: namespaces.size === 0 ? null : namespaces, nodes: own, window })
}

/** Somebody may ask for ARC's own pods too: their logs have been read then. */
function isPodOf({ subject }: Target, pod: object): boolean {
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
  const known = { repositories, organizations: places.organizations, configUrls: configUrlsOf(records) }
  const registrations = registrationsOf(known)
  yield* gatherDetails(means, jobs, subject?.kind === 'run' ? subject.attempt : null)
  yield* gatherRunners(means, registrations)
  yield* gatherRateLimit(means, registrations)
}
