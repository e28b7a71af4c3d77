import type { RunnerLoad } from './runner-load.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { holdsRoom, isRunnerPod } from '#/core/fleet/node-room.ts'
import type { Overheads } from '#/core/kubernetes/pod-request.ts'
import type { Amounts } from '#/core/kubernetes/quantity.ts'
import { minusAmounts } from '#/core/kubernetes/quantity.ts'
import type { Quota } from '#/core/kubernetes/quota.ts'
import { runnerCost, countsAgainst, readQuota, roomIn } from '#/core/kubernetes/quota.ts'

/** A quota with what it has left for runners, existing runners not counted. */
export type QuotaCapacity = { readonly quota: Quota; readonly free: Amounts }

export function listQuotaCapacities(fleet: Fleet): readonly QuotaCapacity[] {
  const runners = fleet.pods.filter((pod) => isRunnerPod(pod) && holdsRoom(pod))
  const byNamespace = Map.groupBy(runners, ({ namespace }) => namespace)
  return fleet.rows('resourcequotas').map((object) => {
    const quota = readQuota(object)
    const left = new Map(minusAmounts(quota.hard, quota.used))
    const own = byNamespace.get(quota.namespace) ?? []
    for (const { spec } of own.filter((pod) => countsAgainst(quota, pod.spec))) {
      const cost = runnerCost(spec, fleet.overheads)
      for (const [entry, hard] of quota.hard) left.set(entry, Math.min(hard, (left.get(entry) ?? 0) + cost(entry)))
    }
    return { quota, free: left }
  })
}

export function isUnder({ quota }: QuotaCapacity, { set, spec }: RunnerLoad): boolean {
  return quota.namespace === set.namespace && countsAgainst(quota, spec)
}

/** What one runner uses of a quota, by entry. */
export function quotaCost({ quota }: QuotaCapacity, { spec, each }: RunnerLoad, overheads: Overheads): Amounts {
  const cost = runnerCost(spec, overheads)
  const slots = each.get('pods') ?? 1
  const isSlot = (entry: string): boolean => entry === 'pods' || entry === 'count/pods'
  return new Map([...quota.hard.keys()].map((entry) => [entry, isSlot(entry) ? slots : cost(entry)]))
}

/** Why even an empty quota would refuse a runner. */
export function quotaRefusal({ quota }: QuotaCapacity, { spec }: RunnerLoad, overheads: Overheads): string | null {
  const { more, boundBy } = roomIn({ ...quota, used: new Map() }, spec, overheads)
  return more === 0 ? `ResourceQuota ${quota.name} of ${quota.namespace} refuses even one: ${boundBy}` : null
}
