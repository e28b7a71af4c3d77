import type { Fleet } from '#/core/fleet/fleet.ts'
import { controllerLines } from './container-logs.ts'
import type { Listener } from '#/core/fleet/scale-set.ts'

/** The controller logs this each time a listener ends. */
export const LISTENER_ENDED = 'Listener pod is terminated'

/**
 * Traces of a listener's earlier pods. A failed listener is deleted and re-created under its name, without a restart
 * count and without back-off: only events and the controller's log show the earlier pods.
 */
export type ListenerSigns = {
  /** Pods of this name in recent events; 0 proves nothing, because events may be gone or blind. */
  readonly pods: number
  /** Ends in the controller's log, at most one per second. */
  readonly ends: number
  /** UIDs of pods that started within the last minute. One that is not the present pod lived for seconds. */
  readonly fresh: ReadonlySet<string>
  readonly lastAt: number | null
}

const STARTS: ReadonlySet<string> = new Set(['Scheduled', 'Pulled', 'Created', 'Started'])

export function listenerSigns(fleet: Fleet): (listener: Listener) => ListenerSigns {
  const wanted = new Set(fleet.listeners.map(({ namespace, name }) => `${namespace}/${name}`))
  const since = fleet.now - fleet.thresholds.crashLoopWindow
  const lately = fleet.now - fleet.thresholds.listenerPodMissing
  const events = Map.groupBy(
    fleet.events.filter(
      ({ kind, namespace, name, lastAt }) =>
        kind === 'Pod' && (lastAt ?? 0) >= since && wanted.has(`${namespace}/${name}`),
    ),
    ({ namespace, name }) => `${namespace}/${name}`,
  )
  const lines = Map.groupBy(
    controllerLines(fleet).filter(
      ({ kind, text, at }) => kind === 'autoscalinglistener' && text.includes(LISTENER_ENDED) && (at ?? 0) >= since,
    ),
    ({ namespace, name }) => `${namespace}/${name}`,
  )
  return ({ namespace, name }) => {
    const own = events.get(`${namespace}/${name}`) ?? []
    const ended = lines.get(`${namespace}/${name}`) ?? []
    const times = [...own.map(({ lastAt }) => lastAt ?? 0), ...ended.map(({ at }) => at ?? 0)]
    const starts = own.filter(({ reason, firstAt }) => STARTS.has(reason) && (firstAt ?? 0) > lately)
    return {
      fresh: new Set(starts.flatMap(({ uid }) => uid ?? [])),
      pods: new Set(own.flatMap(({ uid }) => uid ?? [])).size,
      ends: new Set(ended.map(({ at }) => Math.floor((at ?? 0) / 1000))).size,
      lastAt: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)),
    }
  }
}
