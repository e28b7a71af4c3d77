import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { holdsRoom } from '#/core/fleet/node-room.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'

/** Why the scheduler rejected the nodes, one entry per kind of objection. */
export type Objection =
  | { readonly kind: 'resource'; readonly resource: string; readonly nodes: number }
  | { readonly kind: 'slots'; readonly nodes: number }
  | { readonly kind: 'volume'; readonly text: string }
  | { readonly kind: 'placement'; readonly text: string }

/** `0/5 nodes are available: 3 Insufficient cpu, 2 Too many pods. preemption: …`; what follows is about other pods. */
export function readObjections(message: string): readonly Objection[] {
  const own =
    message.replace(/^\d+\/\d+ nodes are available: */, '').split(/\.? (?:no new claims|preemption:)/)[0] ?? ''
  return own
    .replace(/\.\s*$/, '')
    .split(/, (?=\d)/)
    .filter((part) => part.trim() !== '')
    .map((part) => readObjection(part.trim()))
}

function readObjection(part: string): Objection {
  const nodes = Number(/^\d+/.exec(part)?.[0] ?? 1)
  const text = part.replace(/^\d+ /, '')
  const resource = /^Insufficient (\S+)$/.exec(text)?.[1]
  if (resource !== undefined) return { kind: 'resource', resource, nodes }
  if (/^Too many pods\b/.test(text)) return { kind: 'slots', nodes }
  return /volume|storageclass|free storage/i.test(text) ? { kind: 'volume', text } : { kind: 'placement', text }
}

/** The limiter that the objections point to, in the order of the limiters. */
export function toLimiter(objections: readonly Objection[]): 'scheduler' | 'slots' | 'volume' {
  const kinds = new Set(objections.map(({ kind }) => kind))
  if (kinds.has('resource')) return 'scheduler'
  if (kinds.has('slots')) return 'slots'
  return kinds.has('volume') ? 'volume' : 'scheduler'
}

export type Unschedulable = {
  readonly pod: PodRecord
  readonly message: string
  readonly objections: readonly Objection[]
}

/** A pod that the scheduler tried and refused, with its latest message; null for any other. */
export function refusedByScheduler(pod: PodRecord, events: readonly EventFacts[]): Unschedulable | null {
  if (pod.node !== null || pod.deletedAt !== null || !holdsRoom(pod)) return null
  const condition = conditionAs(pod, 'PodScheduled', 'False')
  const event = latest(events.filter(({ reason }) => reason === 'FailedScheduling'))
  if (condition?.reason !== 'Unschedulable' && event === null) return null
  const message = condition?.message ?? event?.message ?? ''
  return { pod, message, objections: readObjections(message) }
}

/** The autoscaler has promised a node for it: `TriggeredScaleUp` by the cluster autoscaler, `Nominated` by Karpenter. */
export function nodePromisedAt(events: readonly EventFacts[]): number | null {
  const promise = latest(events.filter(({ reason }) => reason === 'TriggeredScaleUp' || reason === 'Nominated'))
  const refusal = latest(events.filter((event) => readCeiling(event) !== null))
  if (promise === null || (refusal?.lastAt ?? 0) > (promise.lastAt ?? 0)) return null
  return promise.lastAt
}

const CEILINGS =
  /max node group size reached|max cluster [\w, ]*limit reached|exceeds? limits? for nodepool|would exceed (?:node ?pool )?limits?/i

/** The autoscaler's message that it may not add a node. */
export function readCeiling({ reason, message }: EventFacts): string | null {
  const isAboutNodes = reason === 'NotTriggerScaleUp' || reason === 'FailedScheduling'
  return isAboutNodes && CEILINGS.test(message) ? message : null
}

export function latest(events: readonly EventFacts[]): EventFacts | null {
  return events.reduce<EventFacts | null>(
    (last, event) => (last === null || (event.lastAt ?? 0) >= (last.lastAt ?? 0) ? event : last),
    null,
  )
}
