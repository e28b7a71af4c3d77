import type { Fleet } from '#/core/fleet/fleet.ts'
import { changeBetween } from '#/core/fleet/traps/change-between.ts'
import type { Proposal } from './policy.ts'

/** A wedge needs time: a set of which anything changed between two reads is in a rollover, and is not freed. */
export function dropChangedWedges(
  proposals: readonly Proposal[],
  reads: { readonly earlier: Fleet; readonly later: Fleet },
): readonly Proposal[] {
  const findChange = changeBetween(reads)
  return proposals.filter(({ policy, setKey }) => policy.id !== 'wedge' || findChange(setKey) === null)
}
