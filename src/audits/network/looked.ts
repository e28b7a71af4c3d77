import { textAt, timeAt } from '#/core/basics/fields.ts'
import { printTime } from '#/core/basics/print-time.ts'
import type { Scene } from './scene.ts'

/** A source that could have shown it and was not looking then. */
export type Unseen = { readonly source: string; readonly why: string }

const NEEDED = ['kubernetes/pods', 'kubernetes/nodes', 'kubernetes/events', 'kubernetes/leases']

/** Whether "nothing was found" means anything: all were read. */
export function couldSee({ fleet }: Scene): boolean {
  return NEEDED.every((source) => fleet.saw(source))
}

/** Sources that were read but do not reach back to the window. */
export function unseenParts(scene: Scene): readonly Unseen[] {
  const events = scene.fleet.saw('kubernetes/events') ? (eventsMissed(scene) ?? namespaceGone(scene)) : null
  const { runner, nodes } = scene.asked
  return [
    ...(events === null ? [] : [{ source: 'kubernetes/events', why: events }]),
    ...(runner !== null && nodes.length === 0
      ? [{ source: 'kubernetes/pods', why: `on which node the runner ${runner.name} was is not told by any source` }]
      : []),
  ]
}

/** A cluster keeps its events for an hour, unless somebody told it otherwise. */
const KEPT_MS = 3_600_000

/** Why the events say nothing of the window; null where they would. */
export function eventsMissed({ fleet, window, asked }: Scene): string | null {
  const { from = null, to = null } = fleet.snapshot.coverage?.get('kubernetes/events') ?? {}
  if (to !== null && to < asked.end)
    return `it covers the time to ${printTime(to)}, the end was at ${printTime(asked.end)}`
  if (from !== null) {
    return from <= window.from
      ? null
      : `it covers the time from ${printTime(from)} on, the window begins at ${printTime(window.from)}`
  }
  const oldest = fleet.events.reduce((first, { firstAt }) => Math.min(first, firstAt ?? Infinity), Infinity)
  if (fleet.now - window.from <= KEPT_MS || oldest <= window.from) return null
  return `events are kept for an hour and none is as old as the window, which begins at ${printTime(window.from)}`
}

/** With its namespace the events of a pod go. */
function namespaceGone({ fleet, asked }: Scene): string | null {
  const namespace = asked.runner?.namespace ?? null
  // No cluster is without any namespace: an empty list was not read.
  const rows = fleet.rows('namespaces')
  if (namespace === null || rows.length === 0) return null
  const row = rows.find((one) => textAt(one, 'metadata', 'name') === namespace)
  if (row === undefined) return `the namespace ${namespace} is gone, and its events with it`
  const created = timeAt(row, 'metadata', 'creationTimestamp')
  return created !== null && created > asked.end ? `the namespace ${namespace} was made after the end` : null
}
