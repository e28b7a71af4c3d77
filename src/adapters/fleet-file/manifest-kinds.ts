import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, numberAt, textAt } from '#/core/basics/fields.ts'

/** Secrets are left out on purpose: what is not read cannot be printed. */
const RESOURCES: ReadonlyMap<string, BundleResource> = new Map([
  ['Pod', 'pods'],
  ['Node', 'nodes'],
  ['Namespace', 'namespaces'],
  ['ServiceAccount', 'serviceaccounts'],
  ['ResourceQuota', 'resourcequotas'],
  ['LimitRange', 'limitranges'],
  ['PersistentVolumeClaim', 'persistentvolumeclaims'],
  ['StorageClass', 'storageclasses'],
  ['Deployment', 'deployments'],
  ['DaemonSet', 'daemonsets'],
  ['RuntimeClass', 'runtimeclasses'],
  ['AutoscalingRunnerSet', 'autoscalingrunnersets'],
  ['AutoscalingListener', 'autoscalinglisteners'],
  ['EphemeralRunnerSet', 'ephemeralrunnersets'],
  ['EphemeralRunner', 'ephemeralrunners'],
])

const ARC_KINDS = /^(?:Autoscaling|Ephemeral)/

export type Manifest = { readonly kind: string; readonly resource: BundleResource; readonly object: Fields }

export type Manifests = {
  readonly manifests: readonly Manifest[]
  /** Empty lists: the kind was read and there are no objects. */
  readonly empty: readonly BundleResource[]
  /** Lists with a continue token: pages are missing. */
  readonly cut: readonly BundleResource[]
}

export function isManifest(fields: Fields): boolean {
  return textAt(fields, 'apiVersion') !== null && textAt(fields, 'kind') !== null
}

/** One object, or a list as kubectl and the API print it: `List`, `NodeList` and similar. */
export function readManifests(fields: Fields): Manifests {
  const kind = textAt(fields, 'kind') ?? ''
  if (!kind.endsWith('List') || !Array.isArray(at(fields, 'items'))) {
    const resource = findResource(fields, kind)
    return { manifests: resource === null ? [] : [{ kind, resource, object: fields }], empty: [], cut: [] }
  }
  const itemKind = kind.slice(0, -'List'.length)
  const inner = listAt(fields, 'items').map((item) => {
    // The API omits kind and version in the items of a typed list.
    const own = toFields(item)
    return readManifests(isManifest(own) ? own : { ...own, apiVersion: fields['apiVersion'], kind: itemKind })
  })
  const manifests = inner.flatMap((one) => one.manifests)
  const typed = RESOURCES.get(itemKind)
  const resources = new Set([...manifests.map(({ resource }) => resource), ...(typed === undefined ? [] : [typed])])
  return {
    manifests,
    empty: typed !== undefined && manifests.length === 0 ? [typed] : [],
    cut: isTruncated(fields) ? [...resources] : [],
  }
}

function findResource(fields: Fields, kind: string): BundleResource | null {
  const resource = RESOURCES.get(kind) ?? null
  const isForeign = ARC_KINDS.test(kind) && textAt(fields, 'apiVersion')?.startsWith('actions.github.com/') !== true
  return isForeign ? null : resource
}

function isTruncated(list: Fields): boolean {
  return textAt(list, 'metadata', 'continue') !== null || (numberAt(list, 'metadata', 'remainingItemCount') ?? 0) > 0
}
