import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { printTime } from '#/core/basics/print-time.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { ContainerFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Window } from './asked.ts'
import type { Sign } from './sign.ts'
import { eventSign, isEventIn, isIn } from './sign.ts'

/** What a node does in its first minutes is its boot, not an interruption. */
export function isBoot(at: number, node: NodeRecord | null, { thresholds }: Fleet): boolean {
  const createdAt = node?.createdAt ?? null
  return createdAt !== null && at - createdAt < thresholds.podStart
}

/** Signs that the pod's containers ended or restarted within the window, or that the pod was not ready in it. */
export function restartSigns(pod: PodRecord, window: Window): readonly Sign[] {
  const who = `${pod.namespace}/${pod.name}`
  const notReady = conditionAs(pod, 'Ready', 'False')
  return [
    ...pod.containers
      .filter(({ role, restarts }) => role === 'main' || restarts > 0)
      .flatMap((container) => containerSigns(who, container, window)),
    ...(notReady !== null && notReady.since !== null && notReady.since <= window.to && pod.lastSeenAt === null
      ? [{ at: notReady.since, text: `${who} is not ready since ${printTime(notReady.since)}` }]
      : []),
  ]
}

function containerSigns(who: string, { name, state, last, restarts }: ContainerFacts, window: Window): readonly Sign[] {
  const end = state.kind === 'terminated' ? state : last
  const cause = end.kind === 'terminated' ? ` (exit code ${end.exitCode ?? '?'}, ${end.reason ?? 'no reason'})` : ''
  const startedAt = state.kind === 'running' ? state.startedAt : null
  const finishedAt = end.kind === 'terminated' ? end.finishedAt : null
  if ((restarts > 0 || last.kind === 'terminated') && isIn(startedAt, window)) {
    return [{ at: startedAt, text: `${who}: container ${name} was restarted at ${printTime(startedAt)}${cause}` }]
  }
  return isIn(finishedAt, window)
    ? [{ at: finishedAt, text: `${who}: container ${name} ended at ${printTime(finishedAt)}${cause}` }]
    : []
}

const RESTART_EVENTS = new Set(['Killing', 'BackOff', 'SandboxChanged'])

export function restartEvents(events: readonly EventFacts[], window: Window): readonly Sign[] {
  return events
    .filter((event) => RESTART_EVENTS.has(event.reason) && isEventIn(event, window))
    .map((event) => eventSign(event, window))
}
