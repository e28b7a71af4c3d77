import { readEvent } from '#/core/kubernetes/event-facts.ts'
import { textAt } from '#/core/basics/fields.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { isSameRun, readRecordedRun } from '#/core/evidence/subject-run.ts'
import type { Run } from '#/core/evidence/subject-run.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import { withoutBulk, withoutLastApplied } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { gatherLog, goneLog, logOrders } from '#/runtime/collect/pods/container-logs.ts'
import { gatherCgroups } from '#/runtime/collect/sources/host-evidence.ts'
import { withLastSeen } from '#/runtime/collect/lists/last-seen.ts'
import { isNearTo } from '#/runtime/collect/lists/list-file.ts'
import { ALL_LISTS, EPHEMERAL_RUNNERS, EVENTS, OTHER_LISTS, PODS } from '#/runtime/collect/lists/list-plan.ts'
import type { ListPlan } from '#/runtime/collect/lists/list-plan.ts'
import { createListReader } from '#/runtime/collect/lists/read-list.ts'
import type { Listing, ListReader } from '#/runtime/collect/lists/read-list.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { readServedGroups } from '#/runtime/collect/lists/served-kinds.ts'
import { findTargets, isNamedAfter, tracesOfEvents, tracesOfRunners } from '#/runtime/collect/request/targets.ts'
import type { FoundPods, Target, Wanted } from '#/runtime/collect/request/targets.ts'
import { writeList } from '#/runtime/collect/lists/write-list.ts'

export type ClusterEvidence = {
  /** With those whom ARC's records tie to the run that is asked for. */
  readonly wanted: readonly Wanted[]
  readonly targets: readonly Target[]
  readonly pods: readonly object[]
  /** ARC's records of its runners. */
  readonly runners: readonly object[]
}

export type Search = Pick<FoundPods, 'namespaces' | 'uid'> & {
  readonly wanted: readonly Wanted[]
  /** Whose runners are meant too. */
  readonly run: Run | null
  /** Where lists are read that may not be read over all. */
  readonly listNamespaces: readonly string[]
}

const MOST_TARGETS = 50

/** What goes soonest is read first: counters of the kernel, logs of the pod, events, and then what stays. */
export async function* gatherCluster(means: Means, asked: Search): AsyncGenerator<BundleFile, ClusterEvidence> {
  const { kubernetes, signal } = means.request
  if (kubernetes === null) return yield* gatherWithoutCluster(means, asked)
  means.request.progress('reading pods')
  const served = await readServedGroups(kubernetes, signal)
  const read = createListReader({ kubernetes, served, namespaces: asked.listNamespaces, signal })
  const records = asked.run === null ? null : yield* gatherList(means, read, EPHEMERAL_RUNNERS)
  const search = { ...asked, wanted: [...asked.wanted, ...listRunners(asked, records ?? [])] }
  const standing = await readPods(read, kubernetes, { means, search })
  const listed = orKept(means, standing)
  const pods = withLastSeen(listed.kind === 'seen' ? listed.value.items : [], means.request.lastSeen)
  const early = findTargets(search.wanted, { ...search, pods, traces: [] }).slice(0, MOST_TARGETS)
  for (const target of early) yield* gatherPod(means, target)
  yield* writeList(means, PODS, { listing: listed, items: pods, isNear: nearTo(search, early) })
  const events = yield* gatherList(means, read, EVENTS)
  const runners = records ?? (yield* gatherList(means, read, EPHEMERAL_RUNNERS))
  const traces = [...tracesOfRunners(runners), ...tracesOfEvents(events.map(readEvent))]
  const targets = findTargets(search.wanted, { ...search, pods, traces }).slice(0, MOST_TARGETS)
  for (const target of targets) if (!target.isLive) sayLogless(means, target, standing)
  for (const plan of OTHER_LISTS) yield* gatherList(means, read, plan)
  return { wanted: search.wanted, targets, pods, runners }
}

/** Those that ARC's records tie to the run, beside those whose jobs GitHub named. */
function listRunners({ run, wanted }: Search, records: readonly object[]): readonly Wanted[] {
  return records.flatMap((record) => {
    const own = readRecordedRun(record)
    const name = textAt(record, 'metadata', 'name')
    if (run === null || own === null || name === null || !isSameRun(own, run)) return []
    return wanted.some((one) => isNamedAfter(one.name, name)) ? [] : [{ name, job: null }]
  })
}

/** Gone is a pod only for who would have seen it. */
function sayLogless({ answers }: Means, { subject }: Target, standing: Observed<Listing>): void {
  const { namespace, pod } = subject
  const seenIn = standing.kind === 'seen' ? standing.value.namespaces : null
  const isHidden = standing.kind === 'blind' || (seenIn !== null && !seenIn.includes(namespace ?? ''))
  const hidden =
    standing.kind === 'blind' ? standing.reason : blind('forbidden', `pods of ${namespace} may not be read`).reason
  answers.blind(`logs/${namespace}/${pod}`, isHidden ? hidden : goneLog(pod ?? ''))
}

/** A pod that somebody kept is evidence, whatever the cluster says. */
async function* gatherWithoutCluster(means: Means, search: Search): AsyncGenerator<BundleFile, ClusterEvidence> {
  const reason = blind('not-asked', 'no kubeconfig, and not inside a cluster').reason
  for (const { name } of ALL_LISTS) means.answers.blind(`kubernetes/${name}`, reason)
  const listing = orKept(means, { kind: 'blind', reason })
  const pods = withLastSeen([], means.request.lastSeen)
  if (listing.kind === 'seen') yield* writeList(means, PODS, { listing, items: pods })
  const targets = findTargets(search.wanted, { ...search, pods, traces: [] })
  for (const target of targets) yield* gatherCgroups(means, target)
  return { wanted: search.wanted, targets, pods, runners: [] }
}

function orKept({ request }: Means, listing: Observed<Listing>): Observed<Listing> {
  if (listing.kind !== 'blind' || request.lastSeen === null) return listing
  const { code, detail } = listing.reason
  const remark = `only the pod that was kept: ${code}: ${detail}`
  return seen({ items: [], namespaces: [], remark, isUnknownKind: false })
}

type PodsOrder = { readonly means: Means; readonly search: Search }

/** Where pods may not be listed, one of them may still be read. */
async function readPods(
  read: ListReader,
  kubernetes: Kubernetes,
  { means: { request }, search }: PodsOrder,
): Promise<Observed<Listing>> {
  const trim = trimFor(search.wanted)
  const listed = await read(PODS, trim)
  if (listed.kind !== 'blind' || listed.reason.code !== 'forbidden') return listed
  const items: KubeObject[] = []
  for (const { name } of search.wanted.slice(0, MOST_TARGETS)) {
    for (const namespace of search.listNamespaces) {
      const pod = await kubernetes.get({ resource: RESOURCES.pods, namespace, name, trim }, request.signal)
      if (pod.kind === 'seen') items.push(pod.value)
    }
  }
  if (items.length === 0) return listed
  return seen({ items, namespaces: [], remark: 'only this pod: pods may not be listed', isUnknownKind: false })
}

/** The managed fields name those who wrote to a pod. They are large, so they are kept of the subject only. */
function trimFor(wanted: readonly Wanted[]): Trim {
  const isWanted = (pod: string): boolean => wanted.some(({ name }) => isNamedAfter(name, pod))
  return (object) => (isWanted(object.metadata.name) ? withoutLastApplied(object) : withoutBulk(object))
}

async function* gatherPod(means: Means, target: Target): AsyncGenerator<BundleFile> {
  yield* gatherCgroups(means, target)
  if (!target.isLive) return
  means.request.progress(`reading the logs of ${target.subject.pod}`)
  for (const order of logOrders(target)) yield* gatherLog(means, order)
}

function nearTo({ namespaces }: Search, targets: readonly Target[]): (item: object) => boolean {
  const own = targets.flatMap(({ subject }) => subject.namespace ?? [])
  return isNearTo(
    new Set([...(namespaces ?? []), ...own]),
    new Set(targets.flatMap(({ subject }) => subject.node ?? [])),
  )
}

async function* gatherList(
  means: Means,
  read: ListReader,
  plan: ListPlan,
): AsyncGenerator<BundleFile, readonly KubeObject[]> {
  means.request.progress(`reading ${plan.name}`)
  const listing = await read(plan)
  const items = listing.kind === 'seen' ? listing.value.items : []
  yield* writeList(means, plan, { listing, items })
  return items
}

/** For the messages: whom nothing that was read knows. */
export function unfoundNames(wanted: readonly Wanted[], targets: readonly Target[]): readonly string[] {
  const isKnown = (name: string): boolean => targets.some(({ subject }) => isNamedAfter(name, subject.pod))
  return wanted.map(({ name }) => name).filter((name) => !isKnown(name))
}
