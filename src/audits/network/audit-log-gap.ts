import { printTime } from '#/core/basics/print-time.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'
import { isIn } from './sign.ts'

type Line = NetworkView['auditLog'][number]

/** A kubelet renews its lease every 10 seconds; it counts as lost after 40. */
const LEASE_MS = 40_000
const SPACING_MS = 15_000
/** This many renewals show that the audit policy logs them. */
const RENEWALS = 5

/**
 * Signs in the API server's audit log: requests that failed, and leases that were not renewed. Other gaps
 * prove nothing: requests come in bursts, and audit policies leave most of them out.
 */
export function auditLogSigns(view: NetworkView): readonly Sign[] {
  return [...refusals(view), ...leaseGaps(view)]
}

/** One failure may come from a webhook; several at once come from the server. */
const FAILURES = 3

function refusals({ auditLog: audit, window }: NetworkView): readonly Sign[] {
  const failed = audit.filter(({ at, status }) => status !== null && status >= 500 && isIn(at, window))
  const [first] = failed
  if (first === undefined || failed.length < FAILURES) return []
  return [
    {
      at: first.at,
      text: `kubernetes/audit: ${failed.length} requests failed with ${first.status} from ${printTime(first.at)} on`,
    },
  ]
}

/** The namespaces of the leases of kubelets and of the control plane. */
const PLACES: ReadonlySet<string> = new Set(['kube-node-lease', 'kube-system'])

function isRenewal({ verb, resource, namespace, status }: Line): boolean {
  const isWrite = verb === 'update' || verb === 'patch'
  return isWrite && resource === 'leases' && PLACES.has(namespace ?? '') && (status ?? 200) < 300
}

type Gap = { readonly holder: string; readonly from: number; readonly to: number }

/** Gaps of the runner's own node; of others only if most have one, because then it is the API server. */
function leaseGaps({ auditLog: audit, window, asked }: NetworkView): readonly Sign[] {
  const renewals = Map.groupBy(audit.filter(isRenewal), ({ name }) => name ?? '')
  const logged = [...renewals].filter(([, lines]) => isSteady(lines.map(({ at }) => at)))
  const gaps = logged.flatMap(([holder, lines]): readonly Gap[] => {
    const gap = widest(
      lines.map(({ at }) => at),
      (from, to) => from <= window.to && to >= window.from,
    )
    return gap !== null && gap.to - gap.from > LEASE_MS ? [{ holder, ...gap }] : []
  })
  const isShared = gaps.length > 1 && gaps.length * 2 > logged.length
  return gaps
    .filter(({ holder }) => isShared || asked.nodes.includes(holder))
    .map(({ holder, from, to }) => ({
      at: from,
      text: `kubernetes/audit: ${holder} renewed its lease at ${printTime(from)} and then not before ${printTime(to)}`,
    }))
}

function isSteady(times: readonly number[]): boolean {
  const spacings = sortSpacings(times)
  return spacings.length >= RENEWALS && (spacings[Math.floor(spacings.length / 2)] ?? Infinity) <= SPACING_MS
}

/** From the shortest to the longest. */
function sortSpacings(times: readonly number[]): readonly number[] {
  return times
    .slice(1)
    .map((time, index) => time - (times[index] ?? time))
    .toSorted((a, b) => a - b)
}

function widest(
  times: readonly number[],
  counts: (from: number, to: number) => boolean,
): { readonly from: number; readonly to: number } | null {
  let best: { readonly from: number; readonly to: number } | null = null
  for (const [index, to] of times.entries()) {
    const from = index === 0 ? to : (times[index - 1] ?? to)
    if (counts(from, to) && to - from > (best === null ? 0 : best.to - best.from)) best = { from, to }
  }
  return best
}
