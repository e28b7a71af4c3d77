import { listAt, at } from '#/core/basics/fields.ts'
import { refusalsBy } from '#/core/kubernetes/limit-range.ts'
import { autoscalersAtMax } from './autoscaler.ts'
import { SLOTS, imagefsRoom, readLimitRanges } from './lane-room.ts'
import type { LaneView } from './view.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import { printQuota } from './limiter-quota.ts'
import { missingClasses } from './limiter-scratch.ts'
import { count, listSome } from './format.ts'

/** How many runners of the lane this limiter alone would allow. Null: no bound, or unknown; `why` says which. */
export type LimiterRow = { readonly limiter: string; readonly admits: number | null; readonly why: string }

export function limiterRows(view: LaneView, numbers: LaneNumbers): readonly LimiterRow[] {
  return [
    maximumRow(view),
    ...quotaRows(view, numbers),
    ...rangeRows(view, numbers),
    ...nodeRows(numbers),
    imagefsRow(view, numbers),
    scratchRow(view, numbers),
    ...autoscalerRows(view, numbers),
  ]
}

/** The row that admits the fewest, apart from the maximum itself. */
export function nextRow(rows: readonly LimiterRow[]): (LimiterRow & { readonly admits: number }) | null {
  return (
    rows
      // A HorizontalPodAutoscaler counts other pods than the lane's runners.
      .filter(({ limiter }) => limiter !== MAXIMUM && !limiter.startsWith(POD_AUTOSCALER))
      .flatMap((row) => (row.admits === null ? [] : [{ ...row, admits: row.admits }]))
      .reduce<(LimiterRow & { readonly admits: number }) | null>(
        (least, row) => (least === null || row.admits < least.admits ? row : least),
        null,
      )
  )
}

const MAXIMUM = 'declared maximum'
const POD_AUTOSCALER = 'HorizontalPodAutoscaler'

function maximumRow({ sets, lane }: LaneView): LimiterRow {
  const open = sets.filter(({ maxRunners }) => maxRunners === null)
  const sum = sets.reduce((total, { maxRunners }) => total + (maxRunners ?? 0), 0)
  const own = sets.map(({ name, maxRunners }) => `${name} ${maxRunners ?? 'without a bound'}`).join(', ')
  const declared = lane.isDeclared && lane.declaredMax !== null ? `; the fleet file says ${lane.declaredMax}` : ''
  return { limiter: MAXIMUM, admits: open.length > 0 ? null : sum, why: `maxRunners: ${own}${declared}` }
}

function quotaRows({ fleet }: LaneView, { quotas }: LaneNumbers): readonly LimiterRow[] {
  if (!fleet.saw('kubernetes/resourcequotas'))
    return [{ limiter: 'quota', admits: null, why: 'unknown: quotas could not be read' }]
  if (quotas.length === 0) return [{ limiter: 'quota', admits: null, why: 'no quota applies to these pods' }]
  return quotas.map((one) => ({
    limiter: `quota ${one.quota.namespace}/${one.quota.name}`,
    admits: one.held + (one.room.more ?? 0),
    why: printQuota(one),
  }))
}

function rangeRows({ fleet }: LaneView, { templates }: LaneNumbers): readonly LimiterRow[] {
  if (!fleet.saw('kubernetes/limitranges'))
    return [{ limiter: 'LimitRange', admits: null, why: 'unknown: LimitRanges could not be read' }]
  const ranges = readLimitRanges(fleet)
  const refusals = templates.flatMap(({ set, spec }) =>
    (ranges.get(set.namespace) ?? []).flatMap((range) => refusalsBy(range, spec)),
  )
  const isSubject = templates.some(({ set }) => ranges.has(set.namespace))
  return [
    refusals.length === 0
      ? { limiter: 'LimitRange', admits: null, why: isSubject ? 'the pods are within it' : 'there is none' }
      : { limiter: 'LimitRange', admits: 0, why: refusals.join('; ') },
  ]
}

const ALWAYS_LISTED = ['cpu', 'memory', 'ephemeral-storage'] as const

function nodeRows({ room, held, autoscaler }: LaneNumbers): readonly LimiterRow[] {
  const names = room === null ? ALWAYS_LISTED : new Set([...ALWAYS_LISTED, ...room.byResource.keys()])
  return ['pod slots', ...[...names].filter((name) => name !== SLOTS)].map((limiter) => {
    if (room === null) return { limiter, admits: null, why: 'unknown: nodes or pods could not be read' }
    const more = room.byResource.get(limiter === 'pod slots' ? SLOTS : limiter)
    if (room.nodes.length === 0 && autoscaler === null) {
      return { limiter, admits: held, why: 'no node that accepts pods fits the runner' }
    }
    if (more === undefined) return { limiter, admits: null, why: 'the runner requests none' }
    const why = `${held} run, ${more} more fit on ${count(room.nodes.length, 'node')}`
    return autoscaler === null
      ? { limiter, admits: held + more, why }
      : { limiter, admits: null, why: `${why}; nodes are created on demand (${autoscaler})` }
  })
}

function imagefsRow({ fleet }: LaneView, { room, templates, held }: LaneNumbers): LimiterRow {
  const more = room === null ? null : imagefsRoom(fleet, room, templates)
  return more === null
    ? {
        limiter: 'imagefs',
        admits: null,
        why: 'unknown: the runner requests no ephemeral-storage, or a node has no statistics',
      }
    : { limiter: 'imagefs', admits: held + more, why: `${more} more fit above the eviction threshold` }
}

function scratchRow(view: LaneView, { templates, held }: LaneNumbers): LimiterRow {
  const claims = templates.flatMap(({ spec }) =>
    listAt(spec, 'volumes').filter((volume) => at(volume, 'ephemeral', 'volumeClaimTemplate') !== undefined),
  )
  const limiter = 'scratch volumes'
  if (claims.length === 0) return { limiter, admits: null, why: 'the runner requests none' }
  if (!view.fleet.saw('kubernetes/storageclasses'))
    return { limiter, admits: null, why: 'unknown: storage classes could not be read' }
  const missing = missingClasses(view)
  return missing.length === 0
    ? { limiter, admits: null, why: 'provisioned on demand; no known bound' }
    : { limiter, admits: held, why: `there is no StorageClass ${listSome(missing)}` }
}

function autoscalerRows({ fleet, sets }: LaneView, { ceiling, held }: LaneNumbers): readonly LimiterRow[] {
  const own = autoscalersAtMax(fleet).filter(({ namespace }) => sets.some((set) => set.namespace === namespace))
  return [
    ...(ceiling === null ? [] : [{ limiter: 'node autoscaler', admits: held, why: ceiling }]),
    ...own.map(({ namespace, name, max, target, targetKind }) => ({
      limiter: `${POD_AUTOSCALER} ${namespace}/${name}`,
      admits: max,
      why: `${targetKind} ${target} is at maxReplicas ${max}`,
    })),
  ]
}
