import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { JudgedLane } from './judge-lane.ts'
import { isPressed, slotFields, slotHint, slotWords } from './limiter-slots.ts'
import type { SlotsOf } from './slots.ts'

/** Pools with few free slots while no lane on them is limited yet. */
export function pressedPools(fleet: Fleet, judged: readonly JudgedLane[], slotsOf: SlotsOf): readonly Finding[] {
  const used = new Set(judged.flatMap(({ ledger }) => ledger.room?.nodes ?? []))
  const limited = new Set(
    judged.filter(({ first }) => first !== null).flatMap(({ ledger }) => ledger.room?.nodes ?? []),
  )
  if (judged.some(({ ledger }) => ledger.autoscaler !== null)) return []
  return fleet.pools.flatMap((pool): readonly Finding[] => {
    const nodes = pool.nodes.filter((node) => used.has(node))
    if (nodes.length === 0 || nodes.some((node) => limited.has(node))) return []
    const slots = slotsOf(nodes)
    if (!isPressed(slots, fleet)) return []
    return [
      {
        class: 'pod-slot-pressure',
        severity: 'warning',
        subject: { kind: 'NodePool', name: pool.name },
        evidence: slotWords(slots, nodes),
        hint: slotHint(slots),
        fields: slotFields(slots),
      },
    ]
  })
}
