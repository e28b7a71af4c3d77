import { imageTrouble } from '#/core/kubernetes/pod-record.ts'
import { holdsRoom } from '#/core/fleet/node-room.ts'
import type { Limiter } from './limiter.ts'
import { latest } from './unschedulable.ts'
import { count, listSome } from './format.ts'

/** A pod can be Pending although it has a node: check what its containers wait for before blaming capacity. */
export const imagePull: Limiter = ({ pods, burst }) => {
  const stuck = pods.flatMap((pod) => {
    const container = pod.deletedAt === null && holdsRoom(pod) ? imageTrouble(pod) : null
    return container === null ? [] : [{ pod, container }]
  })
  const [first] = stuck
  if (first === undefined) return null
  const { pod, container } = first
  const state = container.state.kind === 'waiting' ? container.state : { reason: null, message: null }
  const event = latest(
    burst.podEvents(pod).filter(({ reason, message }) => reason === 'Failed' && message.includes('pull')),
  )
  const detail = event?.message ?? state.message
  return {
    class: 'image-pull-behind-pending',
    admits: pods.filter(({ phase }) => phase === 'Running').length,
    evidence: [
      `${count(stuck.length, 'runner pod')} of the lane cannot pull an image: ${listSome(stuck.map((one) => one.pod.name))}`,
      `container ${container.name} of ${pod.name} waits in ${state.reason} for ${container.image ?? 'its image'}`,
      ...(detail === null ? [] : [detail]),
    ],
    hint: `kubectl describe pod -n ${pod.namespace} ${pod.name}; then signalbox audit pull-secrets: fix the image or its pull secret before you change capacity`,
    fields: { image: container.image, reason: state.reason, pods: stuck.length },
  }
}
