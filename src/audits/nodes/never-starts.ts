import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { everRan, hasEnded } from '#/core/kubernetes/pod-record.ts'
import type { Thresholds } from '#/core/fleet-file/thresholds.ts'
import type { NodeView } from './view.ts'
import { boundAt } from './view.ts'

/** A pod that the node accepted and does not start. */
export type StuckPod = {
  readonly pod: PodRecord
  readonly since: number
  /** The kubelet's waiting reason. */
  readonly waits: string | null
  /** The kubelet's last failure event about it. */
  readonly message: string | null
}

/**
 * Pods past the start time that no other pod overtook. A later pod that runs shows that the node works: then the
 * pod itself is slow.
 */
export function stuckPods(view: NodeView, now: number, { podStart }: Thresholds): readonly StuckPod[] {
  return view.pods.flatMap((pod) => {
    const since = boundAt(pod)
    if (since === null || hasStarted(pod) || waitedUntil(pod, now) - since < podStart) return []
    const isOvertaken = view.lastStart.boundAt >= since || view.lastStart.at > since + podStart
    const own = view.podEvents(pod)
    if (isOvertaken || !waitsForNode(pod, own)) return []
    return [{ pod, since, waits: waitsFor(pod), message: describeLastFailure(own) }]
  })
}

/** After its deletion was requested nobody waits for its start. */
function waitedUntil({ deletedAt, graceSeconds }: PodRecord, now: number): number {
  return deletedAt === null ? now : deletedAt - (graceSeconds ?? 0) * 1000
}

function hasStarted(pod: PodRecord): boolean {
  return hasEnded(pod) || pod.lastSeenAt !== null || everRan(pod)
}

/** With any other reason the pod waits for an image or a Secret, or it crashes. */
const CREATING: ReadonlySet<string | null> = new Set([
  'ContainerCreating',
  'PodInitializing',
  'CreateContainerError',
  null,
])

/** The runtime rejects the pod's spec: no node would start it. */
const OWN_SPEC = /no command specified|failed to generate (?:container|spec)/

function waitsForNode(pod: PodRecord, events: readonly EventFacts[]): boolean {
  if (isPulling(events) || events.some(isOwnVolume)) return false
  return pod.containers.every(
    ({ state }) =>
      state.kind === 'unknown' ||
      (state.kind === 'waiting' && CREATING.has(state.reason) && !OWN_SPEC.test(state.message ?? '')),
  )
}

/** The image is being pulled: slow, but not a broken node. */
function isPulling(events: readonly EventFacts[]): boolean {
  const last = (wanted: string): number =>
    events.reduce((latest, { reason, lastAt }) => (reason === wanted ? Math.max(latest, lastAt ?? 0) : latest), 0)
  return last('Pulling') > last('Pulled')
}

/** A missing volume, or one that another node still holds, would block it on any node. */
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

function describeLastFailure(events: readonly EventFacts[]): string | null {
  const last = events
    .filter(({ reason }) => reason.startsWith('Failed') || reason === 'NetworkNotReady')
    .toSorted((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0))[0]
  return last === undefined ? null : `${last.reason}: ${last.message}`
}
