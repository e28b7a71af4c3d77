import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import type { Overheads } from './pod-request.ts'
import { podLimits, podRequests } from './pod-request.ts'
import type { Amounts } from './quantity.ts'
import { minusAmounts, parseQuantity, readAmounts } from './quantity.ts'

export type Quota = {
  readonly namespace: string
  readonly name: string
  readonly hard: Amounts
  readonly used: Amounts
  /** Scopes that a pod must be in to count. */
  readonly scopes: readonly Scope[]
}

type Scope = { readonly name: string; readonly operator: string; readonly values: readonly unknown[] }

export function readQuota(object: Fields): Quota {
  const hard = readAmounts(toFields(at(object, 'status', 'hard')))
  return {
    namespace: textAt(object, 'metadata', 'namespace') ?? 'default',
    name: textAt(object, 'metadata', 'name') ?? '',
    hard: hard.size > 0 ? hard : readAmounts(toFields(at(object, 'spec', 'hard'))),
    used: readAmounts(toFields(at(object, 'status', 'used'))),
    scopes: [
      ...listAt(object, 'spec', 'scopes')
        .filter((name) => typeof name === 'string')
        .map((name) => ({ name, operator: 'Exists', values: [] })),
      ...listAt(object, 'spec', 'scopeSelector', 'matchExpressions').map((expression) => ({
        name: textAt(expression, 'scopeName') ?? '',
        operator: textAt(expression, 'operator') ?? 'Exists',
        values: listAt(expression, 'values'),
      })),
    ],
  }
}

/** Whether a pod of this spec counts against the quota. */
export function countsAgainst({ scopes }: Quota, spec: Fields): boolean {
  return scopes.every((scope) => isInScope(scope, spec))
}

function isInScope({ name, operator, values }: Scope, spec: Fields): boolean {
  const isBestEffort = podRequests(spec, new Map()).size === 1
  const isTerminating = numberAt(spec, 'activeDeadlineSeconds') !== null
  const priority = textAt(spec, 'priorityClassName')
  switch (name) {
    case 'BestEffort':
      return isBestEffort
    case 'NotBestEffort':
      return !isBestEffort
    case 'Terminating':
      return isTerminating
    case 'NotTerminating':
      return !isTerminating
    case 'PriorityClass':
      return isWanted(operator, values, priority)
    default:
      return false
  }
}

function isWanted(operator: string, values: readonly unknown[], value: string | null): boolean {
  switch (operator) {
    case 'In':
      return values.includes(value)
    case 'NotIn':
      return !values.includes(value)
    case 'DoesNotExist':
      return value === null
    default:
      return value !== null
  }
}

export type QuotaRoom = {
  /** How many more pods it admits; null means no limit. */
  readonly more: number | null
  /** The entry of the quota that limits it. */
  readonly boundBy: string | null
}

const NEEDS_VALUE = /^(?:requests\.|limits\.)?(?:cpu|memory)$/

/** A quota on cpu or memory also refuses every pod without a request for it. */
export function roomIn(quota: Quota, spec: Fields, overheads: Overheads): QuotaRoom {
  const left = minusAmounts(quota.hard, quota.used)
  const cost = runnerCost(spec, overheads)
  let room: QuotaRoom = { more: null, boundBy: null }
  for (const name of quota.hard.keys()) {
    const each = cost(name)
    const isRefused = each === 0 && NEEDS_VALUE.test(name)
    if (each > 0 || isRefused) {
      const more = isRefused ? 0 : Math.max(0, Math.floor((left.get(name) ?? 0) / each + 1e-9))
      if (room.more === null || more < room.more) room = { more, boundBy: name }
    }
  }
  return room
}

/** One runner uses one of each: its pod, its record, and its registration secret. */
const ONE_EACH: ReadonlySet<string> = new Set([
  'pods',
  'count/pods',
  'secrets',
  'count/secrets',
  'count/ephemeralrunners.actions.github.com',
])

/** How much one runner uses of a quota entry, including the volumes created for it. */
export function runnerCost(spec: Fields, overheads: Overheads): (entry: string) => number {
  const requests = podRequests(spec, overheads)
  const limits = podLimits(spec, overheads)
  const claims = listAt(spec, 'volumes').flatMap(
    (volume) => at(volume, 'ephemeral', 'volumeClaimTemplate', 'spec') ?? [],
  )
  return (entry) => {
    if (ONE_EACH.has(entry)) return 1
    const ofClass = /^(?<class>.+)\.storageclass\.storage\.k8s\.io\/(?<what>.+)$/.exec(entry)?.groups
    const own =
      ofClass === undefined ? claims : claims.filter((claim) => textAt(claim, 'storageClassName') === ofClass['class'])
    switch ((ofClass?.['what'] ?? entry).replace(/^count\//, '')) {
      case 'persistentvolumeclaims':
        return own.length
      case 'requests.storage':
        return readStorage(own)
      default:
        return entry.startsWith('limits.')
          ? (limits.get(entry.slice('limits.'.length)) ?? 0)
          : (requests.get(entry.replace(/^requests\./, '')) ?? 0)
    }
  }
}

function readStorage(claims: readonly unknown[]): number {
  return claims.reduce<number>(
    (sum, claim) => sum + (parseQuantity(at(claim, 'resources', 'requests', 'storage')) ?? 0),
    0,
  )
}
