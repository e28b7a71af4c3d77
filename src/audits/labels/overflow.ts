import type { Fields } from '#/core/basics/fields.ts'
import { listAt } from '#/core/basics/fields.ts'
import type { Placements, UsedPoolFit, SharedLabel } from './shared-label.ts'
import { printTaint, tolerates } from '#/core/kubernetes/placement.ts'
import type { Pool } from '#/core/fleet/pool.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { hasPreference, runnerSpec } from '#/core/fleet/set-placement.ts'

/** A set that is meant for an overflow pool, with what it lacks. `set` is null if the label has no such set. */
export type Unplaceable = {
  readonly label: string
  readonly pool: Pool
  readonly set: ScaleSet | null
  readonly missing: 'toleration' | 'selector' | 'both'
  /** Taints of the pool's nodes. */
  readonly taints: readonly string[]
  readonly declared: number | null
}

/** Only a set that both selects the overflow pool and tolerates its taints can use it. */
export function unplaceable(
  label: SharedLabel,
  placements: Placements,
  runtimeClasses: readonly Fields[],
): readonly Unplaceable[] {
  const pools = new Set([...placements.values()].flat().map(({ pool }) => pool))
  return [...pools]
    .filter(({ role }) => role === 'overflow')
    .flatMap((pool) => {
      const aims = label.sets.flatMap((set) => {
        const fit = placements.get(set)?.find((one) => one.pool === pool)
        return fit === undefined ? [] : [judgeAim(set, fit, runtimeClasses)]
      })
      return judgePool(label, pool, aims)
    })
}

type Aim = {
  readonly set: ScaleSet
  readonly isPicked: boolean
  /** Some node of the pool fits its runners, and its template asks for the pool. */
  readonly arrives: boolean
  readonly toleratesSome: boolean
  readonly taints: readonly string[]
}

function judgeAim(set: ScaleSet, fit: UsedPoolFit, runtimeClasses: readonly Fields[]): Aim {
  const spec = runnerSpec(set, runtimeClasses)
  const { pool, open, tainted, isPicked } = fit
  const isTainted = hardTaints(pool).length > 0
  return {
    set,
    isPicked,
    arrives: open.length > 0 && (isPicked || !isTainted || hasPreference(spec)),
    toleratesSome: hardTaints(pool).some((taint) => tolerates(listAt(spec, 'tolerations'), taint)),
    taints: [...new Set(tainted.map(({ taint }) => taint))],
  }
}

function hardTaints({ nodes }: Pool) {
  return nodes
    .flatMap(({ taints }) => taints)
    .filter(({ key, effect }) => effect !== 'PreferNoSchedule' && !key.startsWith('node.kubernetes.io/'))
}

function judgePool({ label, lane }: SharedLabel, pool: Pool, aims: readonly Aim[]): readonly Unplaceable[] {
  const declared = lane.envelope?.[pool.name] ?? null
  const shut = aims.filter(({ isPicked, arrives, taints }) => isPicked && !arrives && taints.length > 0)
  if (shut.length > 0) {
    return shut.map(({ set, taints }) => ({ label, pool, declared, set, missing: 'toleration', taints }))
  }
  if ((declared ?? 0) === 0 || aims.some(({ arrives }) => arrives)) return []
  const taints = [...new Set(hardTaints(pool).map(printTaint))]
  const tolerant = aims.filter(({ toleratesSome }) => toleratesSome)
  return tolerant.length > 0
    ? tolerant.map(({ set }) => ({ label, pool, declared, set, missing: 'selector', taints }))
    : [{ label, pool, declared, set: null, missing: 'both', taints }]
}
