import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { TrackedPod } from './watching/tracked-pods.ts'

/** Which pod has this name now: a controller may reuse a name at once. */
export async function podWithName(
  kubernetes: Pick<Kubernetes, 'get'>,
  { uid, facts: { namespace, name } }: Pick<TrackedPod, 'uid' | 'facts'>,
  signal: AbortSignal,
): Promise<'same' | 'other' | 'none' | 'unknown'> {
  const read = await kubernetes.get({ resource: RESOURCES.pods, namespace, name }, signal)
  if (read.kind === 'seen') return read.value.metadata.uid === uid ? 'same' : 'other'
  return read.kind === 'none' ? 'none' : 'unknown'
}
