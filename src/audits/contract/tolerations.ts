import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { Stance } from '#/core/fleet/set-placement.ts'
import { carries, stancesOf } from '#/core/fleet/set-placement.ts'

export type MissingToleration = {
  readonly set: ScaleSet
  readonly pools: readonly string[]
  readonly nodes: readonly NodeRecord[]
  readonly taints: readonly string[]
}

/** Temporary taints while a node is prepared or removed: no template should tolerate them. */
const PASSING =
  /^(?:node\.cloudprovider\.kubernetes\.io\/|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler|karpenter\.sh\/(?:disrupted|unregistered|disruption)|node\.cilium\.io\/|ebs\.csi\.aws\.com\/agent-not-ready)/

/** Every node that the set selects has a taint it does not tolerate, or a pool of its lane does and no other set of the lane fits there. */
export function missingToleration(fleet: Fleet, set: ScaleSet): MissingToleration | null {
  const stances = stancesOf(fleet, set)
  const shut = stances
    .filter(isForRunners)
    .map(withoutPassing)
    .filter(({ tainted }) => tainted.length > 0)
  const isShutOut = !stances.some(carries)
  const wanted = shut.filter(({ pool }) => isShutOut || isOwed(fleet, set, pool.name))
  if (wanted.length === 0) return null
  const tainted = wanted.flatMap((stance) => stance.tainted)
  return {
    set,
    pools: wanted.map(({ pool }) => pool.name),
    nodes: tainted.map(({ node }) => node),
    taints: [...new Set(tainted.map(({ taint }) => taint))],
  }
}

const CONTROL_PLANE = /^node-role\.kubernetes\.io\/(?:control-plane|master)\b/

function isForRunners({ pool, isPicked }: Stance): boolean {
  return isPicked || pool.role === 'baseline' || pool.role === 'overflow'
}

function withoutPassing(stance: Stance): Stance {
  const isMeant = (taint: string): boolean => !PASSING.test(taint) && (stance.isPicked || !CONTROL_PLANE.test(taint))
  return { ...stance, tainted: stance.tainted.filter(({ taint }) => isMeant(taint)) }
}

/** The lane's envelope uses the pool, and no set of the lane fits there. */
function isOwed(fleet: Fleet, set: ScaleSet, pool: string): boolean {
  return fleet.lanes.some(
    (lane) =>
      (lane.envelope?.[pool] ?? 0) > 0 &&
      lane.sets.includes(set) &&
      !lane.sets.some((other) => stancesOf(fleet, other).some((one) => one.pool.name === pool && one.open.length > 0)),
  )
}
