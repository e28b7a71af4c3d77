import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { everRan, hasEnded } from '#/core/kubernetes/pod-record.ts'
import type { Thresholds } from '#/core/fleet-file/thresholds.ts'
import type { NodeScene } from './scene.ts'
import { boundAt } from './scene.ts'

/** A pod that the node took and does not start. */
export type StuckPod = {
  readonly pod: PodRecord
  readonly since: number
  /** What its containers wait for, as the kubelet says it. */
  readonly waits: string | null
  /** The kubelet's last word about it. */
  readonly word: string | null
}

/**
 * Pods past the start time that no other pod overtook. One that came later and runs shows that the node is able: then the
 * pod is slow by itself.
 */
export function stuckPods(scene: NodeScene, now: number, { podStart }: Thresholds): readonly StuckPod[] {
  return scene.pods.flatMap((pod) => {
    const since = boundAt(pod)
    if (since === null || hasStarted(pod) || waitedUntil(pod, now) - since < podStart) return []
    const isOvertaken = scene.lastStart.boundAt >= since || scene.lastStart.at > since + podStart
    const own = scene.eventsOf(pod)
    if (isOvertaken || !waitsForNode(pod, own)) return []
    return [{ pod, since, waits: waitsFor(pod), word: lastWord(own) }]
  })
}

/** Whoever asked to delete it is no longer waiting for its start. */
function waitedUntil({ deletedAt, graceSeconds }: PodRecord, now: number): number {
  return deletedAt === null ? now : deletedAt - (graceSeconds ?? 0) * 1000
}

function hasStarted(pod: PodRecord): boolean {
  return hasEnded(pod) || pod.lastSeenAt !== null || everRan(pod)
}

/** Others wait for an image, for a Secret, or crash by themselves. */
const MAKING: ReadonlySet<string | null> = new Set([
  'ContainerCreating',
  'PodInitializing',
  'CreateContainerError',
  null,
])

/** The runtime refuses what the pod asks for: no node would start it. */
const OWN_SPEC = /no command specified|failed to generate (?:container|spec)/

function waitsForNode(pod: PodRecord, events: readonly EventFacts[]): boolean {
  if (isPulling(events) || events.some(isOwnVolume)) return false
  return pod.containers.every(
    ({ state }) =>
      state.kind === 'unknown' ||
      (state.kind === 'waiting' && MAKING.has(state.reason) && !OWN_SPEC.test(state.message ?? '')),
  )
}

/** The sandbox stands and the image is on its way: slow, but not the node's lie. */
function isPulling(events: readonly EventFacts[]): boolean {
  const last = (wanted: string): number =>
    events.reduce((latest, { reason, lastAt }) => (reason === wanted ? Math.max(latest, lastAt ?? 0) : latest), 0)
  return last('Pulling') > last('Pulled')
}

/** A volume that does not exist, or that another node still holds, would stop it on any node. */
function isOwnVolume({ reason, message }: EventFacts): boolean {
  if (reason === 'FailedAttachVolume') return true
  return (
    reason === 'FailedMount' &&
    /not found|hostPath type check failed|references non-existent|is not a directory/i.test(message)
  )
}

function waitsFor({ containers }: PodRecord): string | null {
  for (const { state } of containers) if (state.kind === 'waiting' && state.reason !== null) return state.reason
  return null
}

function lastWord(events: readonly EventFacts[]): string | null {
  const last = events
    .filter(({ reason }) => reason.startsWith('Failed') || reason === 'NetworkNotReady')
    .toSorted((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0))[0]
  return last === undefined ? null : `${last.reason}: ${last.message}`
}
