import { textAt } from '#/core/basics/fields.ts'

/** Its value is the name of the pool; the namespace is that of the pod. */
export const POOL_LABEL = 'signalbox.dev/pool'
/** What the pod was made from; another value than the pool's own now means that it is of a former template. */
export const TEMPLATE_ANNOTATION = 'signalbox.dev/template'
/** Set on a pod that takes no further job: somebody drains it, or a rollout does. */
export const DRAIN_LABEL = 'signalbox.dev/drain'
/** The owner whose job the slot was claimed for; set before the runner is registered. */
export const OWNER_LABEL = 'signalbox.dev/owner'
/** Keeps the object until its evidence is stored, also after a force-delete. */
export const EVIDENCE_FINALIZER = 'signalbox.dev/evidence'
/** Of the token with which a poller asks for a job. */
export const DISPATCH_AUDIENCE = 'signalbox-dispatch'

/** The scope of an own pod; null for a pod of somebody else. */
export function ownPodScope(pod: unknown): string | null {
  const pool = textAt(pod, 'metadata', 'labels', POOL_LABEL)
  const namespace = textAt(pod, 'metadata', 'namespace')
  return pool === null || namespace === null ? null : `${namespace}/${pool}`
}
