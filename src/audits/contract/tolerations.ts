import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { PoolFit } from '#/core/fleet/set-placement.ts'
import { canRun, listPoolFits } from '#/core/fleet/set-placement.ts'

export type MissingToleration = {
  readonly set: ScaleSet
  readonly pools: readonly string[]
  readonly nodes: readonly NodeRecord[]
  readonly taints: readonly string[]
}

/** Temporary taints while a node is prepared or removed: no template should tolerate them. */
const TEMPORARY_TAINTS =
  /^(?:node\.cloudprovider\.kubernetes\.io\/|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler|karpenter\.sh\/(?:disrupted|unregistered|disruption)|node\.cilium\.io\/|ebs\.csi\.aws\.com\/agent-not-ready)/

/** Every node that the set selects has a taint it does not tolerate, or a pool of its lane does and no other set of the lane fits there. */
export function missingToleration(fleet: Fleet, set: ScaleSet): MissingToleration | null {
  const fits = listPoolFits(fleet, set)
  const shut = fits
    .filter(isForRunners)
    .map(withoutTemporary)
    .filter(({ tainted }) => tainted.length > 0)
  const isShutOut = !fits.some(canRun)
  const wanted = shut.filter(({ pool }) => isShutOut || isInEnvelope(fleet, set, pool.name))
  if (wanted.length === 0) return null
  const tainted = wanted.flatMap((fit) => fit.tainted)
  return {
    set,
    pools: wanted.map(({ pool }) => pool.name),
    nodes: tainted.map(({ node }) => node),
    taints: [...new Set(tainted.map(({ taint }) => taint))],
  }
}

const CONTROL_PLANE = /^node-role\.kubernetes\.io\/(?:control-plane|master)\b/

function isForRunners({ pool, isPicked }: PoolFit): boolean {
  return isPicked || pool.role === 'baseline' || pool.role === 'overflow'
}

function withoutTemporary(fit: PoolFit): PoolFit {
  const isMeant = (taint: string): boolean =>
    !TEMPORARY_TAINTS.test(taint) && (fit.isPicked || !CONTROL_PLANE.test(taint))
  return { ...fit, tainted: fit.tainted.filter(({ taint }) => isMeant(taint)) }
}

/** The lane's envelope uses the pool, and no set of the lane fits there. */
function isInEnvelope(fleet: Fleet, set: ScaleSet, pool: string): boolean {
  return fleet.lanes.some(
    (lane) =>
      (lane.envelope?.[pool] ?? 0) > 0 &&
      lane.sets.includes(set) &&
      !lane.sets.some((other) =>
        listPoolFits(fleet, other).some((one) => one.pool.name === pool && one.open.length > 0),
      ),
  )
}
