import type { SetName } from '#/core/fleet/set-parts.ts'
import type { LaneOwner } from '#/core/lane/find-owners.ts'
import type { LaneOrder } from '#/core/lane/plan-change.ts'

export function describeOwner({ tool, name, by, undoes }: LaneOwner): string {
  return `${tool}${name === null ? '' : ` ${name}`} owns this set (${by}): ${undoes}`
}

/** How to take it back; null for what takes something back. */
export function describeWay({ kind }: LaneOrder, { namespace, name }: SetName): string | null {
  if (kind === 'quiesce') return `take it back: signalbox lane resume ${namespace}/${name}`
  return kind === 'cap' ? `take it back: signalbox lane cap ${namespace}/${name} restore` : null
}
