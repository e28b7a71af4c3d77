import { at, toFields } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { isRunnerPod, countRooms } from '#/core/fleet/node-room.ts'
import { findMisfit } from '#/core/kubernetes/placement.ts'
import { podRequests } from '#/core/kubernetes/pod-request.ts'
import type { Amounts } from '#/core/kubernetes/quantity.ts'
import { addAmounts, minusAmounts } from '#/core/kubernetes/quantity.ts'

/** What a node has for runners. */
export type NodeCapacity = {
  readonly node: NodeRecord
  readonly pool: string
  /** Allocatable minus daemon pods. */
  readonly whole: Amounts
  /** Also minus all other pods that are not runners. */
  readonly free: Amounts
  readonly daemons: Amounts
  /** Why it accepts no pods now; null if it does. */
  readonly closed: string | null
}

/** Running runners are left out: the question is whether all declared ones would fit. */
export function listNodeCapacities(fleet: Fleet): readonly NodeCapacity[] {
  const poolByNode = new Map(fleet.pools.flatMap((pool) => pool.nodes.map((node) => [node, pool.name] as const)))
  const templates = fleet.saw('kubernetes/pods') ? [] : daemonTemplates(fleet)
  return countRooms(fleet, (pod) => !isRunnerPod(pod)).map(({ node, daemons: standing, free }) => {
    const due = templates.filter(({ spec }) => runsOn(spec, node)).map(({ each }) => each)
    const daemons = addAmounts(standing, ...due)
    return {
      node,
      pool: poolByNode.get(node) ?? '',
      daemons,
      whole: minusAmounts(node.allocatable, daemons),
      free: minusAmounts(free, addAmounts(...due)),
      closed: closedFor(node),
    }
  })
}

/** If no pods were read, the DaemonSets show what every node will run. */
function daemonTemplates({ rows, overheads }: Fleet) {
  return rows('daemonsets').map((object) => {
    const spec = toFields(at(object, 'spec', 'template', 'spec'))
    return { spec, each: podRequests(spec, overheads) }
  })
}

/** DaemonSet pods run on cordoned nodes too. */
function runsOn(spec: unknown, node: NodeRecord): boolean {
  const misfit = findMisfit(spec, node)
  return misfit === null || misfit.kind === 'cordoned'
}

/** A node without conditions was written by hand: treat it as ready. */
function closedFor({ isCordoned, isReady, conditions }: NodeRecord): string | null {
  if (isCordoned) return 'cordoned'
  return isReady || conditions.length === 0 ? null : 'not ready'
}
