import { GUARD_MANAGER, WORKING_LABEL, buildStamp, isStamped } from '#/core/guard/stamp.ts'
import type { StampedKind } from '#/core/guard/stamp.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

const RESOURCE = { Pod: RESOURCES.pods, EphemeralRunner: RESOURCES.ephemeralRunners } as const

export type StampChange = {
  readonly object: KubeObject
  readonly kind: StampedKind
  /** Why it works; null takes the stamp off. */
  readonly because: string | null
}

/**
 * By server-side apply, so that an annotation that somebody else has set too stays theirs. Only the version that was judged
 * is changed: of a later one something else may be true.
 */
export async function writeStamp(
  kubernetes: Pick<Kubernetes, 'patch'>,
  { object, kind, because }: StampChange,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { name, namespace = '', uid, resourceVersion } = object.metadata
  const ref = { resource: RESOURCE[kind], namespace, name }
  const own = because === null ? {} : buildStamp(object, kind, because)
  const { apiVersion } = object
  const applied = { apiVersion, kind, metadata: { name, namespace, ...own } }
  const patch = { kind: 'apply', fieldManager: GUARD_MANAGER, force: true, object: applied } as const
  const outcome = await kubernetes.patch({ ...ref, preconditions: { uid, resourceVersion }, patch }, signal)
  if (because !== null || outcome.kind !== 'done' || !isStamped(outcome.object)) return outcome
  // The label has another owner as well: ARC copies the labels of a runner to its next pod.
  const changes = { metadata: { labels: { [WORKING_LABEL]: null } } }
  return await kubernetes.patch({ ...ref, preconditions: { uid }, patch: { kind: 'merge', changes } }, signal)
}
