import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { countSince } from '#/core/kubernetes/event-count.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import type { ContainerFacts } from '#/core/kubernetes/pod-facts.ts'

/** How often a container of a pod restarted since a time, at least: a pod has only one count for its whole life. */
export function restartsSince(pod: PodRecord, events: readonly EventFacts[], since: number): number {
  const isYoung = pod.createdAt !== null && pod.createdAt >= since
  const counted = pod.containers.map((container) => {
    if (container.restarts === 0 || endedBefore(container, since)) return 0
    return isYoung ? container.restarts : Math.max(1, crashesInRow(container))
  })
  // Each start of a container is an event; the first one is not a restart.
  const started = events
    .filter(({ reason }) => reason === 'Started')
    .map((event) => countSince(event, since) - (isYoung ? 1 : 0))
  return [...counted, ...started].reduce((most, times) => Math.max(most, times), 0)
}

function endedBefore({ state, last }: ContainerFacts, since: number): boolean {
  const end = state.kind === 'terminated' ? state : last
  return end.kind === 'terminated' && end.finishedAt !== null && end.finishedAt < since
}

/** The kubelet doubles its back-off with each crash in a row, from 10 seconds up to 5 minutes, and resets it after 10 minutes without a crash. */
const STEPS: readonly string[] = ['10s', '20s', '40s', '1m20s', '2m40s', '5m0s']

function crashesInRow({ state }: ContainerFacts): number {
  if (state.kind !== 'waiting' || state.reason !== 'CrashLoopBackOff') return 0
  const pause = /back-off (?<pause>[\dms]{2,8}) restarting/.exec(state.message ?? '')?.groups?.['pause'] ?? ''
  return STEPS.indexOf(pause) + 1
}
