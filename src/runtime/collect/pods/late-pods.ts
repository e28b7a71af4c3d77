import { textAt } from '#/core/basics/fields.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

/** ARC labels everything of a scale set with this. */
const OF_A_SET = 'actions.github.com/scale-set-name'

export type Owners = {
  readonly pods: readonly KubeObject[]
  /** EphemeralRunners and AutoscalingListeners: each has a pod of its own name in its namespace. */
  readonly owners: readonly KubeObject[]
}

/**
 * Pods of runners and listeners that came after the pods were read. Runners come while a large list is read, and one
 * without its pod would look like one whose pod has died.
 */
export async function readLatePods(
  kubernetes: Kubernetes,
  { pods, owners }: Owners,
  { trim, signal }: { readonly trim: Trim; readonly signal: AbortSignal },
): Promise<readonly KubeObject[]> {
  const known = new Set(pods.map(objectKey))
  const missing = owners.filter((owner) => !known.has(objectKey(owner)))
  const namespaces = new Set(missing.flatMap(({ metadata }) => metadata.namespace ?? []))
  const late: KubeObject[] = []
  for (const namespace of namespaces) {
    const request = { resource: RESOURCES.pods, namespace, labelSelector: OF_A_SET, trim }
    const listed = await kubernetes.list(request, signal)
    if (listed.kind === 'seen') for (const pod of listed.value.items) if (!known.has(objectKey(pod))) late.push(pod)
  }
  return late
}

function objectKey(object: object): string {
  return `${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}`
}
