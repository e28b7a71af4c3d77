import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import type { Snapshot } from './snapshot.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'

/**
 * An empty list that another list contradicts is a partial read, and a partial read is blind. So is an empty document:
 * neither a kubelet nor GitHub returns one.
 */
export function markPartialReads(snapshot: Snapshot): Snapshot {
  const lists = new Map(snapshot.lists)
  for (const [resource, proof] of PROOFS) {
    if (lists.get(resource)?.kind !== 'none') continue
    const why = proof((other) => listRows(snapshot, other))
    if (why !== null) lists.set(resource, blind('truncated', `the list is empty, but ${why}`))
  }
  const { github } = snapshot
  return {
    ...snapshot,
    lists,
    stats: new Map([...snapshot.stats].map(([node, document]) => [node, rejectEmpty(document)])),
    configz: new Map([...snapshot.configz].map(([node, document]) => [node, rejectEmpty(document)])),
    github: { ...github, rateLimit: rejectEmpty(github.rateLimit) },
  }
}

function rejectEmpty(document: Observed<Fields>): Observed<Fields> {
  const isEmpty = document.kind === 'seen' && Object.keys(document.value).length === 0
  return isEmpty ? blind('truncated', 'the document is empty') : document
}

type Rows = (resource: BundleResource) => readonly Fields[]

const PROOFS: readonly (readonly [BundleResource, (rows: Rows) => string | null])[] = [
  ['nodes', (rows) => named(rows('pods'), (pod) => textAt(pod, 'spec', 'nodeName'), 'a pod runs on node')],
  ['namespaces', (rows) => named(rows('pods'), (pod) => textAt(pod, 'metadata', 'namespace'), 'a pod is in namespace')],
  ['pods', (rows) => provedByWorkloads(rows)],
  [
    'autoscalingrunnersets',
    (rows) =>
      named(rows('ephemeralrunnersets'), ownerName, 'an EphemeralRunnerSet is owned by') ??
      named(
        rows('autoscalinglisteners'),
        (listener) => textAt(listener, 'spec', 'autoscalingRunnerSetName'),
        'an AutoscalingListener serves',
      ) ??
      provedByPods(
        rows,
        (pod) => textAt(pod, 'metadata', 'labels', 'actions.github.com/scale-set-name'),
        'a pod runs for',
      ),
  ],
  ['ephemeralrunners', (rows) => provedByPods(rows, ownedBy('EphemeralRunner'), 'a pod runs for EphemeralRunner')],
  [
    'autoscalinglisteners',
    (rows) => provedByPods(rows, ownedBy('AutoscalingListener'), 'a pod runs for AutoscalingListener'),
  ],
  [
    'ephemeralrunnersets',
    (rows) => named(rows('ephemeralrunners'), (runner) => ownerName(runner), 'an EphemeralRunner is owned by'),
  ],
]

/** A terminating pod may outlive its owner for a moment. */
function provedByPods(rows: Rows, name: (pod: Fields) => string | null, what: string): string | null {
  const pods = rows('pods').filter(
    (pod) => textAt(pod, 'status', 'phase') === 'Running' && textAt(pod, 'metadata', 'deletionTimestamp') === null,
  )
  return named(pods, name, what)
}

function ownedBy(kind: string): (pod: Fields) => string | null {
  return (pod) => {
    const owner = listAt(pod, 'metadata', 'ownerReferences').find((one) => textAt(one, 'kind') === kind)
    return textAt(owner, 'name')
  }
}

function provedByWorkloads(rows: Rows): string | null {
  return (
    named(
      rows('deployments').filter((one) => (numberAt(one, 'status', 'readyReplicas') ?? 0) > 0),
      objectName,
      'there are ready pods of Deployment',
    ) ??
    named(
      rows('daemonsets').filter((one) => (numberAt(one, 'status', 'numberReady') ?? 0) > 0),
      objectName,
      'there are ready pods of DaemonSet',
    )
  )
}

function named(rows: readonly Fields[], name: (row: Fields) => string | null, what: string): string | null {
  for (const row of rows) {
    const found = name(row)
    if (found !== null) return `${what} ${found}`
  }
  return null
}

function objectName(object: Fields): string | null {
  return textAt(object, 'metadata', 'name')
}

function ownerName(object: Fields): string | null {
  return textAt(listAt(object, 'metadata', 'ownerReferences')[0], 'name')
}

function listRows({ lists }: Snapshot, resource: BundleResource): readonly Fields[] {
  const observed = lists.get(resource)
  return observed?.kind === 'seen' ? observed.value : []
}
