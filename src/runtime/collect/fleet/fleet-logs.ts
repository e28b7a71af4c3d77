import { blind } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Kubernetes, LogTail } from '#/ports/kubernetes.ts'
import { readLog, sayLog, toTailRequest } from '#/runtime/collect/pods/container-logs.ts'
import type { LogReading } from '#/runtime/collect/pods/container-logs.ts'
import type { FleetLists } from './fleet-lists.ts'
import { fleetLogOrders } from './fleet-log-orders.ts'
import type { FleetLogOrder } from './fleet-log-orders.ts'
import { isSilence, unreadyNodes } from './fleet-nodes.ts'
import { inParallel } from '#/runtime/collect/request/in-parallel.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { readStoredLog } from '#/runtime/collect/sources/stored-logs.ts'
import { createTimeLimit } from '#/runtime/collect/request/time-limit.ts'
import type { TimeLimit } from '#/runtime/collect/request/time-limit.ts'

const AT_ONCE = 16
const EACH_MS = 10_000
const HURRIED_MS = 3_000
const ALL_MS = 120_000

/** The ends of the logs of ARC and of the runners. */
export async function* gatherFleetLogs(
  means: Means,
  kubernetes: Kubernetes,
  lists: FleetLists,
): AsyncGenerator<BundleFile> {
  const { answers, request } = means
  const { clock, signal, logBytes, progress, window } = request
  const why = lists.why('pods')
  if (why !== null) return answers.blind('logs', why)
  const runners = new Set(
    lists.items('ephemeralrunners').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  )
  const { orders, leftOut } = fleetLogOrders(lists.items('pods'), runners, {
    logBytes,
    since: window.since,
    unready: unreadyNodes(lists.items('nodes')),
    only: request.fleet.runners ?? null,
  })
  const limit = createTimeLimit({ clock, signal, eachMs: EACH_MS, hurriedMs: HURRIED_MS, allMs: ALL_MS })
  const fromKubelet = createReader(kubernetes, limit, logBytes)
  const read: Read = (order) => orStored(means, fromKubelet, order)
  const unread: BlindReason[] = []
  let count = 0
  for await (const { order, reading } of inParallel(orders, AT_ONCE, read)) {
    signal.throwIfAborted()
    count += 1
    progress(`reading logs (${count} of ${orders.length})`)
    yield* reading.files
    sayLog(means, order, reading.answer)
    if (reading.answer.kind === 'blind') unread.push(reading.answer.reason)
  }
  const [first] = unread
  if (first !== undefined && unread.length === orders.length) return answers.blind('logs', first)
  answers.looked('logs', { remark: describeLeftOut({ orders: orders.length, unread: unread.length, leftOut }) })
}

type Counts = { readonly orders: number; readonly unread: number; readonly leftOut: number }

function describeLeftOut({ orders, unread, leftOut }: Counts): string | null {
  if (orders === 0) return 'no pod of ARC and no runner stands on a node'
  const remarks = [
    unread === 0 ? null : `${unread} of ${orders} could not be read`,
    leftOut === 0 ? null : `those of ${leftOut} more runners were not asked for`,
  ].filter((remark) => remark !== null)
  return remarks.length === 0 ? null : remarks.join('; ')
}

type Read = (order: FleetLogOrder) => Promise<{ readonly order: FleetLogOrder; readonly reading: LogReading }>

function createReader(kubernetes: Kubernetes, limit: TimeLimit, logBytes: number): Read {
  const silent = new Map<string, BlindReason>()
  return async (order) => {
    const { node, bytes = logBytes } = order
    const reading = await readLog(order, async (request): Promise<Observed<LogTail>> => {
      const silence = silent.get(node)
      // Each of its pods would wait as long for nothing.
      if (silence !== undefined) return blind(silence.code, `the node ${node} does not answer: ${silence.detail}`)
      const what = `the log of ${order.pod}`
      const tail = await limit.ask(what, (signal) =>
        kubernetes.logTail({ ...request, ...toTailRequest(bytes) }, signal),
      )
      if (tail.kind === 'blind' && isDead(tail.reason)) silent.set(node, tail.reason)
      return tail
    })
    return { order, reading }
  }
}

/** Where the log cannot be read in the cluster it may be kept elsewhere. */
async function orStored({ request }: Means, read: Read, order: FleetLogOrder): ReturnType<Read> {
  const own = await read(order)
  const { logStore, clock, signal } = request
  if (own.reading.answer.kind === 'looked' || logStore === null) return own
  const reading = await readStoredLog(logStore, order, { now: clock.now(), signal })
  return reading.answer.kind === 'looked' ? { order, reading } : own
}

/** A pod that the node does not know yet gives the same code as an unreachable node, and is no reason to give up on the node. */
function isDead(reason: BlindReason): boolean {
  return isSilence(reason) && !reason.detail.includes('the node does not know this pod')
}
