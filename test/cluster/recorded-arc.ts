import { join } from 'node:path'
import type { Container, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { ObjectMeta } from 'kubernetes-types/meta/v1.d.ts'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { BundleObject } from '#/ports/bundle.ts'
import type { ControlPlane } from './control-plane.ts'
import { busyboxPod, createPod } from './pods.ts'

/** The objects of one scale set as a real ARC wrote them, renamed for the test. */
export interface RecordedSet {
  readonly name: string
  readonly namespace: string
  readonly set: BundleObject
  readonly runnerSets: readonly BundleObject[]
  readonly listeners: readonly BundleObject[]
  readonly runners: readonly BundleObject[]
  /** Of runners and of the listener, by name; they are made one by one, because each test decides what happens to them. */
  readonly pods: ReadonlyMap<string, BundleObject>
}

export interface RecordedPlan {
  readonly recording: string
  /** The set in the recording. */
  readonly of: string
  readonly name?: string
  readonly namespace?: string
  /** The id of the scale set at GitHub: two sets of one recording would share it. */
  readonly id?: number
  /** Texts of the runner's template, old and new. */
  readonly changes?: readonly (readonly [string, string])[]
}

const RECORDINGS = join(import.meta.dirname, '..', 'fleets', 'arc')
const RESOURCES = ['autoscalingrunnersets', 'ephemeralrunnersets', 'autoscalinglisteners', 'ephemeralrunners'] as const

export async function recordedSet(plan: RecordedPlan): Promise<RecordedSet> {
  const [sets = [], runnerSets = [], listeners = [], runners = [], pods = []] = await Promise.all(
    [...RESOURCES, 'pods' as const].map(async (resource) => {
      const rows = await recordedObjects(plan.recording, resource)
      return rows.filter((row) => findSetName(row) === plan.of).map((row) => renamed(row, plan))
    }),
  )
  const [set] = sets
  if (set === undefined) throw new Error(`${plan.recording} has no scale set ${plan.of}`)
  const name = set.metadata.name
  const namespace = textAt(set, 'metadata', 'namespace') ?? ''
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]))
  return { name, namespace, set, runnerSets, listeners, runners, pods: byName }
}

export async function recordedObjects(
  recording: string,
  resource: (typeof RESOURCES)[number] | 'pods' | 'deployments',
): Promise<readonly BundleObject[]> {
  const path = join(RECORDINGS, `${recording}.tar.gz`)
  const opening = await openBundle(path, BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  await using bundle = opening.bundle
  const list = await bundle.list(resource)
  if (list.kind === 'blind') throw new Error(list.reason.detail)
  return list.kind === 'seen' ? list.value : []
}

function findSetName(object: BundleObject): string | null {
  return textAt(object, 'metadata', 'labels', 'actions.github.com/scale-set-name')
}

/** Names of runners, secrets and listeners all begin with that of the set. */
function renamed(object: BundleObject, { of, name = of, namespace, id, changes = [] }: RecordedPlan): BundleObject {
  let text = JSON.stringify(object).replaceAll(`"${of}`, `"${name}`)
  if (namespace !== undefined) text = text.replaceAll('"arc-runners"', `"${namespace}"`)
  if (id !== undefined) {
    text = text.replaceAll(/("runner-scale-set-id":)"\d+"/g, `$1"${id}"`)
    text = text.replaceAll(/("runnerScaleSetId":)\d+/g, `$1${id}`)
  }
  for (const [from, to] of changes) text = text.replaceAll(from, to)
  return JSON.parse(text) as BundleObject
}

/** What each object of the recording became, by its old UID. */
export type Uids = Map<string, string>

/** Creates the set with all that ARC makes of it, but no pods. */
export async function createRecordedSet(cluster: ControlPlane, recorded: RecordedSet): Promise<Uids> {
  const uids: Uids = new Map()
  const { set, runnerSets, listeners, runners } = recorded
  const all = [[set], runnerSets, listeners, runners]
  for (const [index, objects] of all.entries()) {
    for (const object of objects) await createRecorded(cluster, { object, resource: RESOURCES[index] ?? '', uids })
  }
  return uids
}

async function createRecorded(
  { callOk }: ControlPlane,
  { object, resource, uids }: { readonly object: BundleObject; readonly resource: string; readonly uids: Uids },
): Promise<void> {
  const namespace = textAt(object, 'metadata', 'namespace') ?? 'default'
  const { status, ...own } = object
  const path = `/apis/actions.github.com/v1alpha1/namespaces/${namespace}/${resource}`
  const body = { ...own, metadata: ownMetadata(object, uids) }
  const made = await callOk({ method: 'POST', path, body })
  uids.set(textAt(object, 'metadata', 'uid') ?? '', textAt(made, 'metadata', 'uid') ?? '')
  if (status === undefined) return
  const contentType = 'application/merge-patch+json'
  await callOk({ method: 'PATCH', path: `${path}/${object.metadata.name}/status`, contentType, body: { status } })
}

/** Without what the API server sets, and owned by what was made here: the garbage collector knows no others. */
function ownMetadata({ metadata }: BundleObject, uids: Uids): ObjectMeta {
  const { name, namespace, labels, annotations, finalizers, ownerReferences = [] } = metadata as ObjectMeta
  const owners = ownerReferences.map((owner) => Object.assign({}, owner, { uid: uids.get(owner.uid) ?? '' }))
  return {
    name: name ?? '',
    namespace: namespace ?? 'default',
    labels: labels ?? {},
    annotations: annotations ?? {},
    finalizers: finalizers ?? [],
    ownerReferences: owners.filter(({ uid }) => uid !== ''),
  }
}

export interface RecordedPod {
  readonly recorded: RecordedSet
  readonly name: string
  readonly uids: Uids
  readonly script: string
  readonly container?: Partial<Container>
  readonly spec?: Partial<PodSpec>
}

/** The pod as ARC labels and owns it, with a shell in place of the runner or the listener. */
export function recordedPod({ recorded, name, uids, script, container = {}, spec = {} }: RecordedPod): Pod {
  const pod = recorded.pods.get(name)
  if (pod === undefined) throw new Error(`the recording has no pod ${name}`)
  const metadata = ownMetadata(pod, uids)
  const [first] = (pod['spec'] as PodSpec).containers
  const { name: main = '', resources = {} } = first ?? {}
  const own = { name: main, resources, ...container }
  return busyboxPod({ namespace: metadata.namespace ?? '', name, script, metadata, container: own, spec })
}

export async function createRecordedPod(cluster: ControlPlane, plan: RecordedPod): Promise<Pod> {
  return createPod(cluster, recordedPod(plan))
}
