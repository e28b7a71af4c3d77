import type { Fields } from '#/core/basics/fields.ts'
import { at, numberAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { readLimitRange, withDefaults } from '#/core/kubernetes/limit-range.ts'
import type { LimitRange } from '#/core/kubernetes/limit-range.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { NodeRoom } from '#/core/fleet/node-room.ts'
import { closedBy } from '#/core/fleet/node-room.ts'
import { findMisfit } from '#/core/kubernetes/placement.ts'
import { podRequests } from '#/core/kubernetes/pod-request.ts'
import type { Amounts } from '#/core/kubernetes/quantity.ts'
import { timesIn } from '#/core/kubernetes/quantity.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { canRun, runnerSpec, listPoolFits } from '#/core/fleet/set-placement.ts'

export const SLOTS = 'pods'

/** Room for a lane's runners. Where several sets share a node, the runner that fits most often is counted. */
export type LaneRoom = {
  /** Nodes that fit a runner of the lane and accept pods now. */
  readonly nodes: readonly NodeRecord[]
  /** Nodes that fit but accept no pods now. */
  readonly closed: readonly { readonly node: string; readonly why: string }[]
  /** Nodes that do not fit. */
  readonly misfits: readonly { readonly node: string; readonly why: string }[]
  /** How many more runners fit, by all resources together. */
  readonly more: number
  /** The same with unlimited pod slots. */
  readonly moreIgnoringSlots: number
  /** The same by one resource alone. */
  readonly byResource: ReadonlyMap<string, number>
}

export type Template = {
  readonly set: ScaleSet
  readonly spec: Fields
  readonly each: Amounts
  /** Nodes of pools that are declared for something else. */
  readonly apart: ReadonlySet<string>
}

/** The pods of the sets as they would be after admission. */
export function buildTemplates(fleet: Fleet, sets: readonly ScaleSet[]): readonly Template[] {
  const ranges = readLimitRanges(fleet)
  return sets.map((set) => {
    const spec = withDefaults(runnerSpec(set, fleet.rows('runtimeclasses')), ranges.get(set.namespace) ?? [])
    return { set, spec, each: podRequests(spec, fleet.overheads), apart: nodesApart(fleet, set) }
  })
}

function nodesApart(fleet: Fleet, set: ScaleSet): ReadonlySet<string> {
  const fits = listPoolFits(fleet, set)
  const carrying = new Set(fits.filter(canRun).flatMap(({ pool }) => pool.nodes))
  const special = fits.filter(({ pool: { role } }) => role === 'storage' || role === 'excluded')
  return new Set(
    special.flatMap(({ pool }) => pool.nodes.filter((node) => !carrying.has(node)).map(({ name }) => name)),
  )
}

export function readLimitRanges(fleet: Fleet): ReadonlyMap<string, readonly LimitRange[]> {
  return Map.groupBy(fleet.rows('limitranges').map(readLimitRange), ({ namespace }) => namespace)
}

/** `now` leaves out nodes that accept no pods; `at all` counts them. */
export type RoomMode = 'now' | 'at all'

export function laneRoom(rooms: readonly NodeRoom[], templates: readonly Template[], mode: RoomMode): LaneRoom {
  const nodes: NodeRecord[] = []
  const closed: LaneRoom['closed'][number][] = []
  const misfits: LaneRoom['misfits'][number][] = []
  const sums = { more: 0, moreIgnoringSlots: 0 }
  const byResource = new Map<string, number>()
  for (const { node, free } of rooms) {
    const fitting = templates.filter((template) => judgePlace(template, node, mode).kind === 'open')
    if (fitting.length > 0) {
      nodes.push(node)
      sums.more += most(fitting, ({ each }) => timesIn(free, each).times)
      sums.moreIgnoringSlots += most(fitting, ({ each }) => timesIn(free, without(each, SLOTS)).times)
      for (const [name, times] of timesByResource(free, fitting))
        byResource.set(name, (byResource.get(name) ?? 0) + times)
    } else {
      const places = templates.map((template) => judgePlace(template, node, mode))
      const shut = places.find(({ kind }) => kind === 'closed')
      if (shut !== undefined) closed.push({ node: node.name, why: shut.why })
      else misfits.push({ node: node.name, why: places[0]?.why ?? '' })
    }
  }
  return { nodes, closed, misfits, ...sums, byResource }
}

function timesByResource(free: Amounts, templates: readonly Template[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { each } of templates) {
    for (const [name, amount] of each) {
      if (amount > 0) times.set(name, Math.max(times.get(name) ?? 0, timesIn(free, new Map([[name, amount]])).times))
    }
  }
  return times
}

type Place = { readonly kind: 'open' | 'closed' | 'misfit'; readonly why: string }

function judgePlace({ spec, apart }: Template, node: NodeRecord, mode: RoomMode): Place {
  if (apart.has(node.name)) return { kind: 'misfit', why: 'its pool is declared for something else' }
  const misfit = findMisfit(spec, node)
  if (misfit !== null && (misfit.kind !== 'cordoned' || mode === 'now')) {
    return { kind: misfit.kind === 'cordoned' ? 'closed' : 'misfit', why: misfit.detail }
  }
  const why = mode === 'now' ? closedBy(node, spec) : null
  return why === null ? { kind: 'open', why: '' } : { kind: 'closed', why }
}

function most<T>(list: readonly T[], count: (one: T) => number): number {
  return list.reduce((best, one) => Math.max(best, count(one)), 0)
}

function without(amounts: Amounts, name: string): Amounts {
  return new Map([...amounts].filter(([own]) => own !== name))
}

/** How many more runners fit on the image file systems before the kubelet evicts; null if unknown. */
export function imagefsRoom(fleet: Fleet, room: LaneRoom, templates: readonly Template[]): number | null {
  const each = templates.reduce((least, { each: asked }) => Math.max(least, asked.get('ephemeral-storage') ?? 0), 0)
  if (each === 0 || room.nodes.length === 0) return null
  let sum = 0
  for (const { name } of room.nodes) {
    const stats = fleet.snapshot.stats.get(name)
    const disk = stats?.kind === 'seen' ? at(stats.value, 'node', 'runtime', 'imageFs') : undefined
    const available = numberAt(disk, 'availableBytes')
    const capacity = numberAt(disk, 'capacityBytes')
    if (available === null || capacity === null) return null
    sum += Math.max(0, Math.floor((available - capacity * fleet.thresholds.imagefsEviction) / each))
  }
  return sum
}
