import { textAt, timeAt } from '#/core/basics/fields.ts'
import { printTime } from '#/core/basics/print-time.ts'
import type { NetworkView } from './view.ts'

/** A source that could have shown it but was not observing then. */
export type Unseen = { readonly source: string; readonly why: string }

const NEEDED = ['kubernetes/pods', 'kubernetes/nodes', 'kubernetes/events', 'kubernetes/leases']

/** "No evidence" counts only if all of these were read. */
export function couldSee({ fleet }: NetworkView): boolean {
  return NEEDED.every((source) => fleet.saw(source))
}

/** Sources that were read but do not reach back to the window. */
export function unseenParts(view: NetworkView): readonly Unseen[] {
  const events = view.fleet.saw('kubernetes/events') ? (eventsMissed(view) ?? namespaceGone(view)) : null
  const { runner, nodes } = view.asked
  return [
    ...(events === null ? [] : [{ source: 'kubernetes/events', why: events }]),
    ...(runner !== null && nodes.length === 0
      ? [{ source: 'kubernetes/pods', why: `no source shows on which node runner ${runner.name} was` }]
      : []),
  ]
}

/** The API server keeps events for one hour by default. */
const KEPT_MS = 3_600_000

/** Why the events do not cover the window; null if they do. */
export function eventsMissed({ fleet, window, asked }: NetworkView): string | null {
  const { from = null, to = null } = fleet.snapshot.coverage?.get('kubernetes/events') ?? {}
  if (to !== null && to < asked.end)
    return `it covers the time until ${printTime(to)}, the end was at ${printTime(asked.end)}`
  if (from !== null) {
    return from <= window.from
      ? null
      : `it covers the time from ${printTime(from)} on, the window begins at ${printTime(window.from)}`
  }
  const oldest = fleet.events.reduce((first, { firstAt }) => Math.min(first, firstAt ?? Infinity), Infinity)
  if (fleet.now - window.from <= KEPT_MS || oldest <= window.from) return null
  return `events are kept for an hour and none is as old as the window, which begins at ${printTime(window.from)}`
}

/** A pod's events are deleted with its namespace. */
function namespaceGone({ fleet, asked }: NetworkView): string | null {
  const namespace = asked.runner?.namespace ?? null
  // Every cluster has namespaces: an empty list means not read.
  const rows = fleet.rows('namespaces')
  if (namespace === null || rows.length === 0) return null
  const row = rows.find((one) => textAt(one, 'metadata', 'name') === namespace)
  if (row === undefined) return `namespace ${namespace} was deleted, and its events with it`
  const created = timeAt(row, 'metadata', 'creationTimestamp')
  return created !== null && created > asked.end ? `namespace ${namespace} was created after the end` : null
}
