import { at, listAt, timeAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { controllerLines } from '#/core/fleet/container-logs.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { setKey } from '#/core/fleet/set-parts.ts'
import type { SetParts } from '#/core/fleet/set-parts.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'

/** Controller log lines when it removes a listener; a wedge shows none of them for long. */
export const CHANGE_MENTIONS: readonly string[] = [
  'RunnerScaleSetListener is out of date',
  'Creating a new AutoscalingListener is waiting',
  'Waiting for the running and pending runners to finish',
]

export type LastChange = {
  /** The last change of anything that belongs to the set. */
  readonly at: number | null
  /** The last event or log line about its listener. */
  readonly listenerAt: number | null
}

/**
 * When something of a set was last created, changed or deleted. Lists printed by `kubectl` have no managedFields, so a
 * field change may be missed; a deleted listener then shows only in the events and in the controller's log.
 */
export function lastChanges(fleet: Fleet): (parts: SetParts) => LastChange {
  const gone = listenerTraces(fleet)
  return ({ set, listeners, runnerSets, runners }) => {
    const objects = [set, ...listeners, ...runnerSets, ...runners].flatMap(({ raw }) => listTimes(raw))
    const pods = runners.flatMap(({ pod }) => (pod === null ? [] : podTimes(pod)))
    const listenerAt = gone(set)
    const times = [...objects, ...pods, ...(listenerAt === null ? [] : [listenerAt])]
    return { at: times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)), listenerAt }
  }
}

function listTimes(object: Fields): readonly number[] {
  const metadata = at(object, 'metadata')
  return [
    timeAt(metadata, 'creationTimestamp'),
    timeAt(metadata, 'deletionTimestamp'),
    ...listAt(metadata, 'managedFields').map((entry) => timeAt(entry, 'time')),
  ].filter((time) => time !== null)
}

function podTimes(pod: PodRecord): readonly number[] {
  const started = pod.containers.flatMap(({ state }) => (state.kind === 'running' ? (state.startedAt ?? []) : []))
  return [...listTimes(pod.raw), ...started]
}

const LISTENER_NAME = /^(?<set>.{1,200})-[a-z0-9]{7,10}-listener$/

/** Events have only the set's name, in the namespace of a controller that serves it; log lines have the set's namespace and name. */
function listenerTraces(fleet: Fleet): (set: ScaleSet) => number | null {
  const found = new Map<string, number>()
  const note = (key: string, time: number | null): void => {
    if (time !== null) found.set(key, Math.max(found.get(key) ?? 0, time))
  }
  for (const { kind, namespace, name, lastAt } of fleet.events) {
    if (kind !== 'Pod' || name === null || !name.endsWith('-listener')) continue
    const set = LISTENER_NAME.exec(name)?.groups?.['set']
    if (set !== undefined) for (const place of [namespace, ANYWHERE]) note(`event ${place}/${set}`, lastAt)
  }
  for (const line of controllerLines(fleet)) {
    if (line.kind !== 'autoscalingrunnerset' || !CHANGE_MENTIONS.some((mention) => line.text.includes(mention)))
      continue
    note(setKey(line), line.at)
  }
  return (set) => {
    const eventTimes = listPlaces(set, fleet).flatMap((place) => found.get(`event ${place}/${set.name}`) ?? [])
    return eventTimes.length > 0 ? eventTimes.reduce((a, b) => Math.max(a, b)) : (found.get(setKey(set)) ?? null)
  }
}

const ANYWHERE = '*'

/** Without known controllers its listener may have been in any namespace. */
function listPlaces({ namespace }: ScaleSet, { controllers }: Fleet): readonly string[] {
  if (controllers.length === 0) return [ANYWHERE]
  return controllers
    .filter(({ watchedNamespace }) => watchedNamespace === null || watchedNamespace === namespace)
    .map((controller) => controller.namespace)
}
