import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import { withoutBulk } from '#/ports/kubernetes-object.ts'
import { isController } from '#/runtime/collect/pods/arc-pods.ts'

/** Of a definition what it is called, and which versions of it are served. */
export const withoutSchema: Trim = (object) => {
  const { apiVersion, kind, metadata } = withoutBulk(object)
  const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata
  const versions = listAt(object, 'spec', 'versions').map((version) =>
    picked(version, ['name', 'served', 'storage', 'deprecated']),
  )
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: { ...picked(at(object, 'spec'), ['group', 'names', 'scope']), versions },
  }
}

/**
 * A cluster has ten pods of others for each of ours, and of those only counts what they take from a node, how they are,
 * and whose they are. Whole they would be more than a bundle holds.
 */
export function trimForeign(isOurs: (pod: KubeObject) => boolean): Trim {
  return (object) => (isOurs(object) ? withoutBulk(object) : trimmedPod(withoutBulk(object)))
}

const LONGEST_ANNOTATION = 256

const POD_SPEC = [
  'nodeName',
  'nodeSelector',
  'schedulerName',
  'priorityClassName',
  'priority',
  'restartPolicy',
  'runtimeClassName',
  'overhead',
  'resources',
  'serviceAccountName',
  'imagePullSecrets',
  'hostNetwork',
  'terminationGracePeriodSeconds',
  'activeDeadlineSeconds',
] as const
const CONTAINER = ['name', 'image', 'imagePullPolicy', 'resources', 'restartPolicy', 'ports'] as const
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const
const STATUS = ['phase', 'reason', 'message', 'startTime', 'qosClass', 'nominatedNodeName'] as const
const CONDITION = ['type', 'status', 'reason', 'message', 'lastTransitionTime'] as const
const CONTAINER_STATUS = ['name', 'image', 'imageID', 'ready', 'started', 'restartCount', 'state', 'lastState'] as const
const STATUSES = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const

function trimmedPod(pod: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = pod
  const [spec, status] = [toFields(pod['spec']), toFields(pod['status'])]
  const { annotations, ...kept } = metadata
  return {
    apiVersion,
    kind,
    metadata: annotations === undefined ? kept : { ...kept, annotations: shortOnes(annotations) },
    spec: { ...picked(spec, POD_SPEC), ...each(spec, CONTAINERS, CONTAINER), ...pickClaims(spec) },
    status: {
      ...picked(status, STATUS),
      ...pickConditions(status),
      ...each(status, STATUSES, CONTAINER_STATUS),
    },
  }
}

/** That all is well is said once. */
function pickConditions(status: Fields): Fields {
  if (status['conditions'] === undefined) return {}
  const kept = listAt(status, 'conditions').filter(
    (condition) =>
      textAt(condition, 'status') !== 'True' || /^(?:Ready|DisruptionTarget)$/.test(textAt(condition, 'type') ?? ''),
  )
  return { conditions: kept.map((condition) => picked(condition, CONDITION)) }
}

function shortOnes(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([, text]) => text.length <= LONGEST_ANNOTATION))
}

/** Of its volumes those that are claims, because a claim is an object of its own. */
function pickClaims(spec: Fields): Fields {
  const volumes = listAt(spec, 'volumes').filter(
    (volume) => at(volume, 'persistentVolumeClaim') !== undefined || at(volume, 'ephemeral') !== undefined,
  )
  return volumes.length === 0
    ? {}
    : { volumes: volumes.map((volume) => picked(volume, ['name', 'persistentVolumeClaim', 'ephemeral'])) }
}

function each(fields: Fields, lists: readonly string[], wanted: readonly string[]): Fields {
  return Object.fromEntries(
    lists.flatMap((list) =>
      fields[list] === undefined
        ? []
        : [[list, listAt(fields, list).map((item) => withoutEmpty(picked(item, wanted)))] as const],
    ),
  )
}

/** `"lastState": {}` stands in every status. */
function withoutEmpty(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

function picked(value: unknown, names: readonly string[]): Fields {
  const fields = toFields(value)
  return Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
  )
}

/** ARC's pods and those of its runners' jobs, ours, and whatever stands in a namespace of the fleet. */
export function isOfFleet(namespaces: ReadonlySet<string>): (pod: KubeObject) => boolean {
  return (pod) => {
    if (namespaces.has(pod.metadata.namespace ?? '')) return true
    return Object.keys(pod.metadata.labels ?? {}).some(isFleetLabel) || isController(pod)
  }
}

function isFleetLabel(label: string): boolean {
  return (
    label.startsWith('actions.github.com/') ||
    label.startsWith('signalbox.dev/') ||
    label === 'actions-ephemeral-runner' ||
    label === 'runner-pod'
  )
}
