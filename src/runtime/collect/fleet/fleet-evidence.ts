import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { gatherAuditLog } from '#/runtime/collect/sources/audit-log-evidence.ts'
import { givenFiles } from './fleet-files.ts'
import { gatherGitLab } from './fleet-gitlab.ts'
import { gatherRunnersAtGitHub, gatherWorkAtGitHub } from './fleet-github.ts'
import { createFleetLists, withMore } from './fleet-lists.ts'
import type { FleetLists } from './fleet-lists.ts'
import { gatherFleetLogs } from './fleet-logs.ts'
import { gatherNodes } from './fleet-nodes.ts'
import { NODE_SOURCES, limitPlan } from './fleet-plan.ts'
import type { FleetPlan } from './fleet-plan.ts'
import { gatherSecrets } from './fleet-secrets.ts'
import { gatherAgentHosts } from './fleet-hosts.ts'
import { gatherHost, gatherJournal } from '#/runtime/collect/sources/host-evidence.ts'
import { readLatePods } from '#/runtime/collect/pods/late-pods.ts'
import { createListReader } from '#/runtime/collect/lists/read-list.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { readServedGroups } from '#/runtime/collect/lists/served-kinds.ts'
import { isOfFleet, trimForeign } from '#/runtime/collect/lists/trim-object.ts'
import { chooseWindow } from '#/runtime/collect/request/window.ts'

/** The fleet as it is, without a subject: what audits read. */
export async function* gatherFleet(means: Means, now: number): AsyncGenerator<BundleFile> {
  const { request } = means
  const plan = limitPlan(request.fleet.wanted)
  yield* givenFiles(means)
  if (request.kubernetes === null) yield* gatherWithoutCluster(means, plan)
  else yield* gatherCluster(means, request.kubernetes, plan)
  yield* gatherGitLab(means, plan)
  const window = chooseWindow(request.window, [], now)
  yield* gatherHost(means)
  yield* gatherAgentHosts(means, plan)
  if (plan.has('journal')) yield* gatherJournal(means, window)
  yield* gatherAuditLog(means, { namespaces: null, nodes: null, window })
}

async function* gatherWithoutCluster(means: Means, plan: FleetPlan): AsyncGenerator<BundleFile> {
  const { reason } = blind('not-asked', 'no kubeconfig, and not inside a cluster')
  const others = ['kubernetes/secrets', ...NODE_SOURCES, 'logs'].filter(plan.has)
  const sources = [...plan.lists.map(({ name }) => `kubernetes/${name}`), ...others]
  for (const source of sources) means.answers.blind(source, reason)
  yield* gatherRunnersAtGitHub(means, { plan, lists: null })
  yield* gatherWorkAtGitHub(means, { plan, lists: null })
}

async function* gatherCluster(means: Means, kubernetes: Kubernetes, plan: FleetPlan): AsyncGenerator<BundleFile> {
  const { places, signal, progress } = means.request
  progress('asking what the cluster serves')
  const served = await readServedGroups(kubernetes, signal)
  const reader = createListReader({ kubernetes, served, namespaces: places.namespaces, signal })
  const lists = createFleetLists(means, plan, reader)
  yield* gatherRunners(means, kubernetes, { lists, plan })
  for (const { name } of plan.lists) yield* lists.take(name)
  yield* gatherWorkAtGitHub(means, { plan, lists })
  if (plan.has('logs')) yield* gatherFleetLogs(means, kubernetes, lists)
  if (plan.has('kubernetes/secrets')) yield* gatherSecrets(means, kubernetes, lists)
  yield* gatherNodes(means, kubernetes, { plan, lists })
}

/**
 * ARC's records, read one behind the other, so that they are of one moment. Runner sets before their runners: whoever scales
 * a set at the version that was read must have seen every runner that it had at that version.
 */
const RECORDS = ['ephemeralrunnersets', 'ephemeralrunners', 'autoscalingrunnersets', 'autoscalinglisteners'] as const

/**
 * A fleet does not stand still while it is read. Pods first, then GitHub, then ARC's records: so a runner that ends
 * meanwhile is missing in the records, and not one whose pod or registration seems to be lost.
 */
async function* gatherRunners(
  means: Means,
  kubernetes: Kubernetes,
  { lists, plan }: { readonly lists: FleetLists; readonly plan: FleetPlan },
): AsyncGenerator<BundleFile> {
  const { fleet, signal } = means.request
  // For what it names; what is written is read again with the other records.
  await lists.read('autoscalingrunnersets')
  const isOurs = isOfFleet(listNamespaces(lists.items('autoscalingrunnersets'), fleet.declared?.file ?? {}))
  const trim = trimForeign(isOurs)
  const pods = await lists.read('pods', trim)
  const atGitHub = await collectAll(gatherRunnersAtGitHub(means, { plan, lists }))
  for (const name of RECORDS) await lists.read(name)
  if (pods.kind === 'seen') {
    const owners = [...lists.items('ephemeralrunners'), ...lists.items('autoscalinglisteners')]
    const late = await readLatePods(kubernetes, { pods: pods.value.items, owners }, { trim, signal })
    lists.hold('pods', withMore(pods, late))
  }
  yield* atGitHub
  for (const name of RECORDS) yield* lists.write(name)
  yield* lists.write('pods')
  // Of the pods of others nothing more is asked, and they are most of what is held.
  if (pods.kind === 'seen') lists.hold('pods', seen({ ...pods.value, items: lists.items('pods').filter(isOurs) }))
}

function listNamespaces(
  sets: readonly KubeObject[],
  { controllerNamespace, runnerNamespaces = [] }: FleetFile,
): ReadonlySet<string> {
  return new Set([
    ...sets.flatMap(({ metadata }) => metadata.namespace ?? []),
    ...(controllerNamespace === undefined ? [] : [controllerNamespace]),
    ...runnerNamespaces,
  ])
}

/** Written later: writing takes time, and what is read next must be of the same moment. */
async function collectAll(files: AsyncGenerator<BundleFile>): Promise<readonly BundleFile[]> {
  const all: BundleFile[] = []
  for await (const file of files) all.push(file)
  return all
}
