import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { TrackedPod } from './tracked-pods.ts'

/** Who is under the name of a pod now: a controller may give it to a successor at once. */
export async function podWithName(
  kubernetes: Pick<Kubernetes, 'get'>,
  { uid, facts: { namespace, name } }: Pick<TrackedPod, 'uid' | 'facts'>,
  signal: AbortSignal,
): Promise<'the-same' | 'another' | 'nobody' | 'unknown'> {
  const read = await kubernetes.get({ resource: RESOURCES.pods, namespace, name }, signal)
  if (read.kind === 'seen') return read.value.metadata.uid === uid ? 'the-same' : 'another'
  return read.kind === 'none' ? 'nobody' : 'unknown'
}
