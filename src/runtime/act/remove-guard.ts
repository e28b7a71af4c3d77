import { GUARD_LABELS } from '#/core/guard/manifests.ts'
import type { GuardKind } from '#/core/guard/manifests.ts'
import { GUARD_RESOURCES } from '#/runtime/guard/guard-objects.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

export type GuardObject = { readonly kind: GuardKind; readonly object: KubeObject }

/**
 * Deletes one object of `signalbox guard`: a policy, a binding or a budget that carries our labels, at the version that was
 * read. No runner goes with it, so it has no gates, and the ledger has no act for it.
 */
export async function removeGuardObject(
  kubernetes: Pick<Kubernetes, 'delete'>,
  { kind, object }: GuardObject,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { name, namespace, uid, resourceVersion, labels = {} } = object.metadata
  const isOurs = Object.entries(GUARD_LABELS).every(([key, value]) => labels[key] === value)
  if (!isOurs) return { kind: 'refused', message: `${kind} ${name} is not one of signalbox guard` }
  const place = namespace === undefined ? {} : { namespace }
  const ref = { resource: GUARD_RESOURCES[kind], name, ...place }
  return await kubernetes.delete({ ...ref, preconditions: { uid, resourceVersion } }, signal)
}
