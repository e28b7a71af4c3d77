import { textAt } from '#/core/basics/fields.ts'
import { DRAIN_LABEL, TEMPLATE_ANNOTATION } from './own-pod.ts'
import type { Slot } from '#/core/dispatch/slot.ts'

/** Why a pod gets no job, now or ever. Its poller ends, and the pod with it. */
export const POD_REFUSALS = ['pod-gone', 'drained', 'stale-template', 'committed'] as const
export type PodRefusal = (typeof POD_REFUSALS)[number]

/**
 * What the pod itself says. A stale template alone is no reason: the rollout says when, so that a new template does not
 * take all warm pods away at once. `template`: of the pool now; null where that is not known.
 */
export function judgePod(pod: unknown, template: string | null): PodRefusal | null {
  if (textAt(pod, 'metadata', 'deletionTimestamp') !== null) return 'pod-gone'
  const phase = textAt(pod, 'status', 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') return 'pod-gone'
  // A label without a value counts too.
  if (!hasLabel(pod, DRAIN_LABEL)) return null
  const own = textAt(pod, 'metadata', 'annotations', TEMPLATE_ANNOTATION)
  return template !== null && own !== null && own !== template ? 'stale-template' : 'drained'
}

/**
 * What we know about its slot. A slot that was given a job and asks again did not get our answer: it must not get another
 * job, because the first may have a runner already. Its slot is recovered when the pod has ended.
 */
export function judgeSlot(slot: Slot): PodRefusal | null {
  switch (slot.state) {
    case 'warm':
      return null
    case 'claimed':
    case 'minted':
    case 'registered':
    case 'executing':
      return 'committed'
    case 'ended':
    case 'lost':
      return 'drained'
  }
}

function hasLabel(pod: unknown, label: string): boolean {
  const { metadata } = pod as { readonly metadata?: { readonly labels?: Readonly<Record<string, unknown>> } }
  return metadata?.labels?.[label] !== undefined
}
