import type { Fleet } from '#/core/fleet/fleet.ts'
import { sourceOf } from '#/core/fleet/source-of.ts'

/**
 * The source was asked for and did not come: what it would have said may speak against a conclusion. A source that
 * nobody asked for (an audit of files alone) leaves the conclusion to what is at hand.
 */
export function wasRefused({ snapshot }: Pick<Fleet, 'snapshot'>, source: string): boolean {
  const observed = sourceOf(snapshot, source)
  return observed.kind === 'blind' && observed.reason.code !== 'not-asked'
}
