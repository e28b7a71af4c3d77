import { none, seen, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { readController } from '#/core/fleet/controller.ts'
import type { Controller } from '#/core/fleet/controller.ts'
import { readListener, readRunnerRecord, readRunnerSet, readScaleSet } from '#/core/fleet/scale-set.ts'
import type { Listener, RunnerRecord, RunnerSet } from '#/core/fleet/scale-set.ts'
import type { SetName } from '#/core/fleet/set-parts.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import type { LaneFacts } from '#/core/lane/judge-change.ts'
import type { ListenerSight } from '#/core/lane/prove-listener.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'
import { readNamed } from '#/runtime/collect/lists/read-named.ts'

export type LaneReads = {
  readonly kubernetes: Pick<Kubernetes, 'list' | 'logTail'>
  /** Null: all. */
  readonly namespaces: readonly string[] | null
  readonly signal: AbortSignal
}

/** The set itself, and all that belongs to it. */
export type LaneNow = { readonly object: KubeObject; readonly facts: LaneFacts }

export async function listSets(reads: LaneReads): Promise<Observed<readonly KubeObject[]>> {
  return await listEverywhere(reads, RESOURCES.autoscalingRunnerSets)
}

export async function readLane({ namespace, name }: SetName, reads: LaneReads): Promise<Observed<LaneNow>> {
  const { kubernetes, signal } = reads
  const resource = RESOURCES.autoscalingRunnerSets
  // With the managed fields: they name who else writes to it.
  const found = await readNamed(kubernetes, { resource, namespace, name, trim: withoutLastApplied }, signal)
  if (found.kind !== 'seen') return found
  const [runnerSets, runners, listeners, controllers] = await Promise.all([
    readRunnerSets({ namespace, name }, reads),
    readRunners({ namespace, name }, reads),
    readListeners({ namespace, name }, reads),
    readControllers(reads),
  ])
  const set = readScaleSet(found.value)
  return seen({ object: found.value, facts: { set, runnerSets, runners, listeners, controllers } })
}

/** Its name as ARC labels runners with it, or that of the EphemeralRunnerSet that owns them. */
export async function readRunners(set: SetName, reads: LaneReads): Promise<Observed<readonly RunnerRecord[]>> {
  const { kubernetes, signal } = reads
  const [list, owners] = await Promise.all([
    kubernetes.list({ resource: RESOURCES.ephemeralRunners, namespace: set.namespace }, signal),
    readRunnerSets(set, reads),
  ])
  if (list.kind !== 'seen') return list
  const own = new Set(owners.kind === 'seen' ? owners.value.map(({ name }) => name) : [])
  const records = list.value.items.map(readRunnerRecord)
  return seenList(records.filter((one) => one.setName === set.name || own.has(one.runnerSetName)))
}

async function readRunnerSets(set: SetName, reads: LaneReads): Promise<Observed<readonly RunnerSet[]>> {
  const { kubernetes, signal } = reads
  const list = await kubernetes.list({ resource: RESOURCES.ephemeralRunnerSets, namespace: set.namespace }, signal)
  if (list.kind !== 'seen') return list
  return seenList(list.value.items.map(readRunnerSet).filter(({ setName }) => setName === set.name))
}

async function readListeners(set: SetName, reads: LaneReads): Promise<Observed<readonly Listener[]>> {
  const list = await listEverywhere(reads, RESOURCES.autoscalingListeners)
  if (list.kind !== 'seen') return list
  const own = list.value
    .map(readListener)
    .filter(({ setNamespace, setName }) => setNamespace === set.namespace && setName === set.name)
  return seenList(own)
}

async function readControllers(reads: LaneReads): Promise<Observed<readonly Controller[]>> {
  const list = await listEverywhere(reads, RESOURCES.deployments, 'app.kubernetes.io/part-of=gha-rs-controller')
  if (list.kind !== 'seen') return list
  return seenList(list.value.flatMap((deployment) => readController(deployment) ?? []))
}

const LOG_LINES = 200
const LOG_BYTES = 256 * 1024

export async function readSight(set: SetName, reads: LaneReads): Promise<ListenerSight> {
  const { kubernetes, signal } = reads
  const all = await readListeners(set, reads)
  const live = all.kind === 'seen' ? all.value.filter(({ deletedAt }) => deletedAt === null) : []
  const listeners = all.kind === 'seen' ? seenList(live) : all
  const [first] = live
  if (first === undefined) return { listeners, pod: none(), log: none() }
  const { namespace, name } = first
  const pod = await readNamed(kubernetes, { resource: RESOURCES.pods, namespace, name }, signal)
  if (pod.kind !== 'seen') return { listeners, pod, log: none() }
  const asked = { namespace, pod: name, container: 'listener', tailLines: LOG_LINES, tailBytes: LOG_BYTES }
  const log = await kubernetes.logTail(asked, signal)
  return {
    listeners,
    pod: seen(readPodRecord(pod.value)),
    log: log.kind === 'seen' ? seen(log.value.text) : log,
  }
}

/** If one namespace is blind, all are: half an answer looks like a whole one. */
async function listEverywhere(
  { kubernetes, namespaces, signal }: LaneReads,
  resource: Resource,
  labelSelector?: string,
): Promise<Observed<readonly KubeObject[]>> {
  const selected = labelSelector === undefined ? { resource } : { resource, labelSelector }
  const requests = namespaces === null ? [selected] : namespaces.map((namespace) => ({ ...selected, namespace }))
  const lists = await Promise.all(requests.map((request) => kubernetes.list(request, signal)))
  const blindOne = lists.find((list) => list.kind === 'blind')
  if (blindOne !== undefined) return blindOne
  return seenList(lists.flatMap((list) => (list.kind === 'seen' ? list.value.items : [])))
}
