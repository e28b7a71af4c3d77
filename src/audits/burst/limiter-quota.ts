import type { LimitRange } from '#/core/kubernetes/limit-range.ts'
import { refusalsBy } from '#/core/kubernetes/limit-range.ts'
import { holdsRoom } from '#/core/fleet/node-room.ts'
import { formatAmount } from '#/core/kubernetes/quantity.ts'
import { readLimitRanges } from './lane-room.ts'
import type { LaneView } from './view.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import type { Limit, Limiter } from './limiter.ts'
import { wantsMore } from './limiter.ts'
import { quotedByController } from './runner-start.ts'
import { count, listSome } from './format.ts'

/** What refuses a pod before it exists: a quota, a LimitRange, or another admission check. */
export const quota: Limiter = (view, numbers) => refusedAtAdmission(view, numbers) ?? usedUp(numbers)

function refusedAtAdmission({ fleet, pods, lane }: LaneView, numbers: LaneNumbers): Limit | null {
  const { refusals } = numbers
  const worst = refusals.find(({ by }) => by === 'quota') ?? refusals[0]
  if (worst === undefined) return null
  const { runner, by, message } = worst
  const full = by === 'quota' ? fullest(numbers, runner.namespace) : null
  const holding = refusals.filter(({ runner: { phase } }) => phase === 'Failed').length
  const quoted = quotedByController(runner, fleet)
  const ranges = by === 'LimitRange' ? findLimitRanges(fleet, runner.namespace) : []
  return {
    class: 'quota-limit',
    admits: full === null ? pods.filter(holdsRoom).length : full.held + (full.room.more ?? 0),
    evidence: [
      `${count(refusals.length, 'runner')} of lane ${lane.label} got no pod: ${listSome(refusals.map((one) => one.runner.name))}`,
      message,
      ...(quoted === null ? [] : [`the controller: ${quoted}`]),
      ...(full === null ? [] : [printQuota(full)]),
      ...ranges.flatMap((range) => refusalsBy(range, runner.template)),
      ...(holding === 0 ? [] : [`${count(holding, 'runner is', 'runners are')} Failed and still count as replicas`]),
    ],
    hint: `${hintFor(by, runner.namespace, full?.quota.name)}${holding === 0 ? '' : '; then signalbox audit runtime lists the failed runners that can be deleted'}`,
    fields: { refusedBy: by, refused: refusals.length },
  }
}

function findLimitRanges(fleet: LaneView['fleet'], namespace: string): readonly LimitRange[] {
  return readLimitRanges(fleet).get(namespace) ?? []
}

function fullest({ quotas }: LaneNumbers, namespace: string): LaneNumbers['quotas'][number] | null {
  const own = quotas.filter(({ quota: { namespace: place } }) => place === namespace)
  return own.toSorted((a, b) => (a.room.more ?? Infinity) - (b.room.more ?? Infinity))[0] ?? null
}

function hintFor(by: string, namespace: string, name: string | undefined): string {
  if (by === 'LimitRange') {
    return `kubectl describe limitrange -n ${namespace}; fit the runner's requests and limits into it, or change it in source`
  }
  if (by === 'admission') {
    return `read the refusal: the runner's template breaks a rule of namespace ${namespace}; change the template in source`
  }
  return `kubectl describe resourcequota -n ${namespace}${name === undefined ? '' : ` ${name}`}; raise the quota in source, or lower a runner's requests: a higher maxRunners only causes more refusals`
}

/** Nothing was refused yet, because the maximum came first or the controller has not tried, but the next pod would be. */
function usedUp(numbers: LaneNumbers): Limit | null {
  const full = numbers.quotas.find(({ room }) => room.more === 0)
  if (full === undefined || !wantsMore(numbers)) return null
  return {
    class: 'quota-limit',
    admits: full.held,
    evidence: [printQuota(full), `${count(full.held, 'runner pod')} of the lane count against it`],
    hint: hintFor('quota', full.quota.namespace, full.quota.name),
    fields: { refusedBy: 'quota', refused: 0 },
  }
}

export function printQuota({ quota: { namespace, name, hard, used }, room }: LaneNumbers['quotas'][number]): string {
  const entry = room.boundBy ?? ''
  const amount = (value: number | undefined): string => formatAmount(entry, value ?? 0)
  return `quota ${namespace}/${name}: ${entry} ${amount(used.get(entry))} of ${amount(hard.get(entry))} used, ${room.more ?? 'any number of'} more runners fit`
}
