import type { NodeCapacity } from './node-capacity.ts'
import type { QuotaCapacity } from './quota-room.ts'
import { isUnder, quotaCost } from './quota-room.ts'
import type { RunnerLoad } from './runner-load.ts'
import type { Overheads } from '#/core/kubernetes/pod-request.ts'
import type { Amounts } from '#/core/kubernetes/quantity.ts'
import { timesIn } from '#/core/kubernetes/quantity.ts'

/** Nodes and quotas that are filled with runners, set by set, and what is left. */
export type NodeFill = {
  /** Places up to `most` runners and returns how many fit. */
  readonly put: (load: RunnerLoad, most: number) => number
  /** How many more of this kind would fit, by node, and what bounds it. */
  readonly left: (load: RunnerLoad) => Left
  /** The runners placed on a node, counted by load. */
  readonly on: (node: string) => ReadonlyMap<RunnerLoad, number>
}

export type Left = {
  readonly times: number
  readonly byNode: ReadonlyMap<string, number>
  readonly boundBy: Bound | null
}

export type Bound =
  /** `pods` means pod slots. */
  | { readonly kind: 'resource'; readonly name: string }
  | { readonly kind: 'quota'; readonly quota: string; readonly name: string }
  | { readonly kind: 'one-per-node' }
  | { readonly kind: 'no-node' }

export type CapacityView = {
  readonly capacities: ReadonlyMap<string, NodeCapacity>
  readonly quotas: readonly QuotaCapacity[]
  readonly overheads: Overheads
}

type Account = { readonly quota: string; readonly free: Map<string, number>; readonly cost: Amounts }

const NO_RUNNERS: ReadonlyMap<RunnerLoad, number> = new Map()

export function startFill({ capacities, quotas, overheads }: CapacityView): NodeFill {
  // A fleet has thousands of nodes and hundreds of lanes: copy only the nodes that runners are placed on.
  const taken = new Map<string, Map<string, number>>()
  const placed = new Map<string, Map<RunnerLoad, number>>()
  const quotaStates = quotas.map((one) => ({ one, free: new Map(one.free) }))
  const listAccounts = (load: RunnerLoad): readonly Account[] =>
    quotaStates
      .filter(({ one }) => isUnder(one, load))
      .map(({ one, free }) => ({ quota: one.quota.name, free, cost: quotaCost(one, load, overheads) }))
  const roomOn = (name: string, load: RunnerLoad): Room => {
    const here = capacities.get(name)
    if (here === undefined || here.closed !== null) return { times: 0, boundBy: null }
    const room = timesIn(taken.get(name) ?? here.free, load.each)
    const own = placed.get(name)?.get(load) ?? 0
    return load.isAloneOnNode && room.times > 1 - own ? { times: 1 - own, boundBy: ALONE } : room
  }

  const put: NodeFill['put'] = (load, most) => {
    const accounts = listAccounts(load)
    const allowed = Math.min(most, ...accounts.map(({ free, cost }) => timesIn(free, cost).times))
    let count = 0
    for (const { name } of load.open) {
      if (count >= allowed) break
      const here = Math.min(allowed - count, roomOn(name, load).times)
      if (here <= 0) continue
      taken.set(name, takeFrom(taken.get(name) ?? new Map(capacities.get(name)?.free), load.each, here))
      const kinds = placed.get(name) ?? new Map<RunnerLoad, number>()
      placed.set(name, kinds.set(load, (kinds.get(load) ?? 0) + here))
      count += here
    }
    for (const { free, cost } of accounts) takeFrom(free, cost, count)
    return count
  }

  const left: NodeFill['left'] = (load) => {
    const byNode = new Map<string, number>()
    const bounds = new Map<string, number>()
    let total = 0
    for (const { name } of load.open) {
      const { times, boundBy } = roomOn(name, load)
      total += times
      byNode.set(name, times)
      if (boundBy !== null) bounds.set(boundBy, (bounds.get(boundBy) ?? 0) + 1)
    }
    return withinQuota(listAccounts(load), { times: total, byNode, boundBy: mostCommon(bounds) })
  }

  return { put, left, on: (node) => placed.get(node) ?? NO_RUNNERS }
}

type Room = { readonly times: number; readonly boundBy: string | null }

/** Not a valid Kubernetes resource name, so it cannot collide. */
const ALONE = '(alone)'

function takeFrom(from: Map<string, number>, each: Amounts, count: number): Map<string, number> {
  for (const [name, amount] of each) from.set(name, (from.get(name) ?? 0) - amount * count)
  return from
}

function withinQuota(accounts: readonly Account[], nodes: Left): Left {
  let least = nodes
  for (const { quota, free, cost } of accounts) {
    const { times, boundBy } = timesIn(free, cost)
    const isTighter = times < least.times || (times === 0 && least.boundBy?.kind !== 'quota')
    if (isTighter) least = { times, byNode: nodes.byNode, boundBy: { kind: 'quota', quota, name: boundBy ?? '' } }
  }
  return least
}

function mostCommon(bounds: ReadonlyMap<string, number>): Bound {
  const [largest] = [...bounds].toSorted(([, a], [, b]) => b - a)
  if (largest === undefined) return { kind: 'no-node' }
  return largest[0] === ALONE ? { kind: 'one-per-node' } : { kind: 'resource', name: largest[0] }
}
