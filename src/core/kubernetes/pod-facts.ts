import { at, toFields, listAt, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'

/** A pod as the API server had it, reduced to what a verdict needs. */
export type PodFacts = {
  readonly namespace: string
  readonly name: string
  readonly uid: string | null
  readonly node: string | null
  readonly runtimeClass: string | null
  readonly phase: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly createdAt: number | null
  readonly startedAt: number | null
  readonly deletedAt: number | null
  /** From the deletion, not from the spec. */
  readonly graceSeconds: number | null
  readonly specGraceSeconds: number | null
  readonly deadlineSeconds: number | null
  /** When the collector last saw it; null if the object still exists. */
  readonly lastSeenAt: number | null
  readonly owners: readonly string[]
  readonly labels: Fields
  readonly conditions: readonly ConditionFacts[]
  readonly containers: readonly ContainerFacts[]
}

export type ConditionFacts = {
  readonly type: string
  readonly status: string
  readonly reason: string | null
  readonly message: string | null
  readonly since: number | null
}

export type ContainerFacts = {
  readonly name: string
  readonly role: 'init' | 'main'
  /** An init container that runs beside the others until they end (`restartPolicy: Always`). */
  readonly isSidecar: boolean
  /** Without the runtime's prefix. */
  readonly id: string | null
  readonly image: string | null
  readonly memoryLimit: string | null
  readonly restarts: number
  readonly state: ContainerState
  /** The state before the last restart. */
  readonly last: ContainerState
}

export type ContainerState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting'; readonly reason: string | null; readonly message: string | null }
  | { readonly kind: 'running'; readonly startedAt: number | null }
  | Terminated

export type Terminated = {
  readonly kind: 'terminated'
  readonly exitCode: number | null
  readonly signal: number | null
  readonly reason: string | null
  readonly message: string | null
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Of the container that ended: after a restart the pod names another. */
  readonly id: string | null
}

export function readPod(object: unknown): PodFacts {
  return {
    namespace: textAt(object, 'metadata', 'namespace') ?? 'default',
    name: textAt(object, 'metadata', 'name') ?? '',
    uid: textAt(object, 'metadata', 'uid'),
    node: textAt(object, 'spec', 'nodeName'),
    runtimeClass: textAt(object, 'spec', 'runtimeClassName'),
    phase: textAt(object, 'status', 'phase'),
    reason: textAt(object, 'status', 'reason'),
    message: textAt(object, 'status', 'message'),
    createdAt: timeAt(object, 'metadata', 'creationTimestamp'),
    startedAt: timeAt(object, 'status', 'startTime'),
    deletedAt: timeAt(object, 'metadata', 'deletionTimestamp'),
    graceSeconds: numberAt(object, 'metadata', 'deletionGracePeriodSeconds'),
    specGraceSeconds: numberAt(object, 'spec', 'terminationGracePeriodSeconds'),
    deadlineSeconds: numberAt(object, 'spec', 'activeDeadlineSeconds'),
    lastSeenAt: timeAt(object, 'metadata', 'annotations', 'signalbox.dev/last-seen'),
    owners: listAt(object, 'metadata', 'ownerReferences').flatMap((owner) => textAt(owner, 'name') ?? []),
    labels: toFields(at(object, 'metadata', 'labels')),
    conditions: listAt(object, 'status', 'conditions').map(readCondition),
    containers: [
      ...listAt(object, 'status', 'initContainerStatuses').map((status) => readContainer(status, 'init', object)),
      ...listAt(object, 'status', 'containerStatuses').map((status) => readContainer(status, 'main', object)),
    ],
  }
}

export function readCondition(condition: unknown): ConditionFacts {
  return {
    type: textAt(condition, 'type') ?? '',
    status: textAt(condition, 'status') ?? 'Unknown',
    reason: textAt(condition, 'reason'),
    message: textAt(condition, 'message'),
    since: timeAt(condition, 'lastTransitionTime'),
  }
}

function readContainer(status: unknown, role: ContainerFacts['role'], pod: unknown): ContainerFacts {
  const name = textAt(status, 'name') ?? ''
  const specified = listAt(pod, 'spec', role === 'init' ? 'initContainers' : 'containers')
  const own = specified.find((container) => textAt(container, 'name') === name)
  return {
    name,
    role,
    isSidecar: role === 'init' && textAt(own, 'restartPolicy') === 'Always',
    id: withoutScheme(textAt(status, 'containerID')),
    image: textAt(status, 'image'),
    memoryLimit: textAt(own, 'resources', 'limits', 'memory'),
    restarts: numberAt(status, 'restartCount') ?? 0,
    state: readState(at(status, 'state')),
    last: readState(at(status, 'lastState')),
  }
}

function readState(state: unknown): ContainerState {
  const { waiting, running, terminated } = toFields(state)
  if (terminated !== undefined) return readTerminated(terminated)
  if (running !== undefined) return { kind: 'running', startedAt: timeAt(running, 'startedAt') }
  if (waiting === undefined) return { kind: 'unknown' }
  return { kind: 'waiting', reason: textAt(waiting, 'reason'), message: textAt(waiting, 'message') }
}

function readTerminated(state: unknown): Terminated {
  return {
    kind: 'terminated',
    exitCode: numberAt(state, 'exitCode'),
    signal: numberAt(state, 'signal'),
    reason: textAt(state, 'reason'),
    message: textAt(state, 'message'),
    startedAt: timeAt(state, 'startedAt'),
    finishedAt: timeAt(state, 'finishedAt'),
    id: withoutScheme(textAt(state, 'containerID')),
  }
}

function withoutScheme(id: string | null): string | null {
  return id === null ? null : id.replace(/^[\w.-]+:\/\//, '')
}

/** The condition of that type if it has the status, of a pod or node; null in, null out. */
export function conditionAs(
  object: { readonly conditions: readonly ConditionFacts[] } | null,
  type: string,
  status: string,
): ConditionFacts | null {
  return object?.conditions.find((condition) => condition.type === type && condition.status === status) ?? null
}
