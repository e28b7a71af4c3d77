import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { printTime } from '#/core/basics/print-time.ts'
import { isBoot } from './restarts.ts'
import { findDisruption } from './disruption.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'
import { eventSign, isEventIn, isIn } from './sign.ts'

const POD_EVENTS = new Set(['Evicted', 'Preempted', 'Preempting'])
const NODE_EVENTS = new Set([
  'NodeHasDiskPressure',
  'NodeHasInsufficientMemory',
  'NodeHasInsufficientPID',
  'EvictionThresholdMet',
  'SystemOOM',
  'FreeDiskSpaceFailed',
  'ImageGCFailed',
])

/** Signs that the runner itself was evicted. */
export function evictionSigns(view: NetworkView): readonly Sign[] {
  const { asked, window } = view
  const pod = asked.runner?.pod ?? null
  const podEvents = runnerEvents(view).filter((event) => POD_EVENTS.has(event.reason) && isEventIn(event, window))
  const disruption = findDisruption(view)
  return [
    ...(pod?.reason === 'Evicted' || pod?.reason === 'Preempting'
      ? [{ at: asked.end, text: `${pod.namespace}/${pod.name}: ${pod.reason}: ${pod.message ?? ''}` }]
      : []),
    ...(disruption?.kind === 'eviction' ? [disruption] : []),
    ...podEvents.map((event) => eventSign(event, window)),
  ]
}

function runnerEvents({ fleet, asked }: NetworkView): readonly EventFacts[] {
  const { runner } = asked
  if (runner === null) return []
  return fleet.events.filter(
    ({ kind, name, uid }) =>
      kind === 'Pod' && name === runner.podName && (uid === null || runner.pod === null || uid === runner.pod.uid),
  )
}

const PRESSURES: ReadonlySet<string> = new Set(['DiskPressure', 'MemoryPressure', 'PIDPressure'])

/** Signs that the node was under pressure within the window, or evicted other pods. */
export function pressureSigns(name: string, view: NetworkView): readonly Sign[] {
  const { window, fleet } = view
  const node = view.nodeAt(name)
  const events = view
    .nodeEvents(name)
    .filter(
      (event) =>
        (NODE_EVENTS.has(event.reason) || (event.reason === 'Evicted' && event.kind === 'Pod')) &&
        isEventIn(event, window),
    )
  return [
    ...(node?.conditions ?? []).flatMap((condition): readonly Sign[] => {
      const { type, status, since } = condition
      if (!PRESSURES.has(type)) return []
      if (status === 'True') {
        const from = since ?? window.from
        return from <= window.to ? [{ at: from, text: `${type} is True since ${printTime(from)}` }] : []
      }
      return isIn(since, window) && !isBoot(since, node, fleet)
        ? [{ at: since, text: `${type} was True and is False only since ${printTime(since)}` }]
        : []
    }),
    ...events.map((event) => eventSign(event, window)),
  ]
}
