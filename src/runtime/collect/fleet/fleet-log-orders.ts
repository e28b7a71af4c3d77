import { textAt, timeAt } from '#/core/basics/fields.ts'
import { isArcPod, isController } from '#/runtime/collect/pods/arc-pods.ts'
import type { LogOrder } from '#/runtime/collect/pods/container-logs.ts'
import { planContainers } from '#/runtime/collect/request/targets.ts'
import { plannedRunner } from '#/runtime/collect/request/targets.ts'

/** A log that is to be read, and on whose node it lies. */
export type FleetLogOrder = LogOrder & { readonly node: string }

export type FleetLogs = {
  readonly orders: readonly FleetLogOrder[]
  /** Runners whose logs are not asked for, because there are too many. */
  readonly leftOut: number
}

/** The controller speaks of all sets, and of some things once: of its log there is so many times as much as of others. */
const CONTROLLER_SHARE = 16
/** Of all runners together: whoever judges a fleet reads all of it. */
const RUNNER_BYTES = 128 * 1024 * 1024
const LEAST_BYTES = 8 * 1024
const MOST_RUNNERS = 5000

export type LogWish = {
  readonly logBytes: number
  readonly since: number | null
  /** Nodes that will hardly answer. */
  readonly unready: ReadonlySet<string>
  /** NAMESPACE/NAME of the runners that are wanted; null: all. */
  readonly only?: ReadonlySet<string> | null
}

/** ARC's own logs first, because they mention every runner; then runner logs, oldest pod first. */
export function fleetLogOrders(
  pods: readonly object[],
  runners: ReadonlySet<string>,
  { logBytes, since, unready, only = null }: LogWish,
): FleetLogs {
  const sinceThen = since === null ? {} : { since }
  const placed = pods.filter((pod) => textAt(pod, 'spec', 'nodeName') !== null)
  const arc = placed
    .filter(isArcPod)
    .flatMap((pod) =>
      planPodLogs(pod, { ...sinceThen, bytes: isController(pod) ? CONTROLLER_SHARE * logBytes : logBytes }),
    )
  const isWanted = (pod: object): boolean => only === null || only.has(podKey(pod))
  const own = placed
    .filter((pod) => !isArcPod(pod) && isRunnerPod(pod, runners) && isWanted(pod))
    .toSorted(byStandingThenAge)
  const chosen = own.slice(0, MOST_RUNNERS)
  const bytes = Math.min(logBytes, Math.max(LEAST_BYTES, Math.floor(RUNNER_BYTES / Math.max(1, chosen.length))))
  const orders = chosen.flatMap((pod) => runnerOrder(planPodLogs(pod, { ...sinceThen, bytes })))
  const all = [...arc, ...orders]
  // They would take the time of the others.
  const last = all.filter(({ node }) => unready.has(node))
  return { orders: [...all.filter(({ node }) => !unready.has(node)), ...last], leftOut: own.length - chosen.length }
}

function isRunnerPod(pod: object, runners: ReadonlySet<string>): boolean {
  if (textAt(pod, 'metadata', 'labels', 'actions-ephemeral-runner') !== null) return true
  return runners.has(podKey(pod))
}

function podKey(pod: object): string {
  return `${textAt(pod, 'metadata', 'namespace')}/${textAt(pod, 'metadata', 'name')}`
}

function byStandingThenAge(a: object, b: object): number {
  return rankPod(a) - rankPod(b) || (createdAt(a) ?? 0) - (createdAt(b) ?? 0)
}

function rankPod(pod: object): number {
  return /^(?:Succeeded|Failed)$/.test(textAt(pod, 'status', 'phase') ?? '') ? 1 : 0
}

function createdAt(pod: object): number | null {
  return timeAt(pod, 'metadata', 'creationTimestamp')
}

function planPodLogs(pod: object, manner: Pick<LogOrder, 'since' | 'bytes'>): readonly FleetLogOrder[] {
  const [namespace, name] = [textAt(pod, 'metadata', 'namespace'), textAt(pod, 'metadata', 'name')]
  const node = textAt(pod, 'spec', 'nodeName')
  if (namespace === null || name === null || node === null) return []
  const order = { namespace, pod: name, node, startedAt: null, ...manner }
  return planContainers(pod).map((container) => Object.assign({ container }, order))
}

/** Beside a runner a daemon of Docker may talk without end. */
function runnerOrder(orders: readonly FleetLogOrder[]): readonly FleetLogOrder[] {
  const name = plannedRunner(orders.map(({ container }) => container))
  return orders.filter(({ container }) => name === null || container.name === name)
}
