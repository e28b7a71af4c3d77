import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { JudgedLane } from './judge-lane.ts'
import { isPressed, slotFields, slotHint, describeSlots } from './limiter-slots.ts'
import type { CountSlots } from './slots.ts'

/** Pools with few free slots while no lane on them is limited yet. */
export function pressedPools(fleet: Fleet, judged: readonly JudgedLane[], countSlots: CountSlots): readonly Finding[] {
  const used = new Set(judged.flatMap(({ numbers }) => numbers.room?.nodes ?? []))
  const limited = new Set(
    judged.filter(({ first }) => first !== null).flatMap(({ numbers }) => numbers.room?.nodes ?? []),
  )
  if (judged.some(({ numbers }) => numbers.autoscaler !== null)) return []
  return fleet.pools.flatMap((pool): readonly Finding[] => {
    const nodes = pool.nodes.filter((node) => used.has(node))
    if (nodes.length === 0 || nodes.some((node) => limited.has(node))) return []
    const slots = countSlots(nodes)
    if (!isPressed(slots, fleet)) return []
    return [
      {
        class: 'pod-slot-pressure',
        severity: 'warning',
        subject: { kind: 'NodePool', name: pool.name },
        evidence: describeSlots(slots, nodes),
        hint: slotHint(slots),
        fields: slotFields(slots),
      },
    ]
  })
}
