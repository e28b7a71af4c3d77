import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Listener } from '#/core/fleet/scale-set.ts'
import { readContainer } from '#/core/kubernetes/pod-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { describeCap, isSameCap, readListenerCap } from './cap.ts'
import type { Cap } from './cap.ts'

export type ListenerSight = {
  /** Of this set, those that are not being deleted. */
  readonly listeners: Observed<readonly Listener[]>
  /** The pod of the listener. */
  readonly pod: Observed<PodRecord>
  /** Of the container that runs now. */
  readonly log: Observed<string>
}

/** `not-yet`: look again. `blind`: it cannot be seen from here. */
export type ListenerProof = { readonly kind: 'proved' | 'not-yet' | 'blind'; readonly why: string }

/** `oldPod`: the UID of its pod before the change; null if there was none, or it could not be read. */
export function proveListener(
  wanted: Cap,
  { listeners, pod, log }: ListenerSight,
  oldPod: string | null,
): ListenerProof {
  if (listeners.kind === 'blind')
    return unseen(`the AutoscalingListener could not be read: ${describeReason(listeners.reason)}`)
  const listener = listeners.kind === 'seen' ? listeners.value[0] : undefined
  if (listener === undefined) return waiting('there is no AutoscalingListener')
  const cap = readListenerCap(listener.raw)
  if (!isSameCap(cap, wanted)) return waiting(`AutoscalingListener ${listener.name} still has ${describeCap(cap)}`)
  if (pod.kind === 'blind')
    return unseen(`the pod of ${listener.name} could not be read: ${describeReason(pod.reason)}`)
  if (pod.kind === 'none') return waiting(`AutoscalingListener ${listener.name} has no pod yet`)
  const idle = findIdleReason(pod.value)
  if (idle !== null) return waiting(idle)
  const { name, uid } = pod.value
  return proveRunning({ wanted, name, isNew: oldPod !== null && uid !== oldPod, log })
}

/** Why it does not listen; null if it does. */
function findIdleReason(pod: PodRecord): string | null {
  const state = readContainer(pod, 'listener')?.state
  if (pod.deletedAt === null && state?.kind === 'running') return null
  const reason = state?.kind === 'waiting' ? ` (${state.reason ?? 'no reason given'})` : ''
  return `the listener of pod ${pod.name} does not run${reason}`
}

type Running = {
  readonly wanted: Cap
  readonly name: string
  readonly isNew: boolean
  readonly log: ListenerSight['log']
}

function proveRunning({ wanted, name, isNew, log }: Running): ListenerProof {
  const said = log.kind === 'seen' ? readAnnounced(log.value) : null
  if (said !== null) {
    const line = `pod ${name} logs min=${said.min} max=${said.max}`
    return isSameCap(said, wanted) ? proved(line) : waiting(`${line}: it works with the old value`)
  }
  if (log.kind !== 'blind') return waiting(`pod ${name} runs and has not logged its bounds yet`)
  const why = `its log could not be read: ${describeReason(log.reason)}`
  return isNew
    ? proved(`pod ${name} is new since the change, and ARC made it from the new value (${why})`)
    : unseen(`pod ${name} may be the old one; ${why}`)
}

const ANNOUNCES = 'Calculated target runner count'

/** The last bounds in a listener's log, in any format of ARC: zap and slog, text and JSON. */
export function readAnnounced(log: string): Cap | null {
  const line = log.split('\n').findLast((one) => one.includes(ANNOUNCES))
  if (line === undefined) return null
  const [min, max] = [
    /[\s,{"]min"?[=:]\s?(\d{1,10})/u.exec(line)?.[1],
    /[\s,{"]max"?[=:]\s?(\d{1,10})/u.exec(line)?.[1],
  ]
  return min === undefined || max === undefined ? null : { min: Number(min), max: Number(max) }
}

function proved(why: string): ListenerProof {
  return { kind: 'proved', why }
}

function waiting(why: string): ListenerProof {
  return { kind: 'not-yet', why }
}

function unseen(why: string): ListenerProof {
  return { kind: 'blind', why }
}
