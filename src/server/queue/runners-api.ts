import { Hono } from 'hono'
import type { Job } from '#/core/dispatch/job.ts'
import { intendedJob, slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { PodNow } from '#/core/pools/reconcile/world.ts'
import { observeDispatch } from '#/runtime/own-pools/observe-dispatch.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import { readQuery } from '#/server/request/read-query.ts'
import { toBlind, toTime } from './documents.ts'
import { findPool } from './find-pool.ts'
import type { QueueOptions } from './options.ts'
import { runnersQuery } from '#/server/queue-schemas.ts'

type Around = { readonly jobs: ReadonlyMap<number, Job>; readonly pods: ReadonlyMap<string, PodNow> }

/** `/v1/runners`: the slots that are alive, with their pods and jobs. */
export function runnersApi(options: QueueOptions): Hono {
  const { guards, admit, world } = options
  const api = new Hono()
  api.get('/', guards.read, admit, async (c) => {
    const query = readQuery(c, runnersQuery)
    if ('status' in query) return sendProblem(c, query)
    const now = await observeDispatch(options)
    const found = findPool(query.pool, now)
    if ('status' in found) return sendProblem(c, found)
    const around: Around = {
      jobs: new Map([...now.queued, ...now.underWay].map((job) => [job.id, job])),
      pods: new Map((now.pods.kind === 'seen' ? now.pods.value : []).map((pod) => [pod.uid, pod])),
    }
    const states: ReadonlySet<string> | null = query.state === undefined ? null : new Set(query.state)
    const slots = now.slots.filter(
      (slot) =>
        (states?.has(slot.state) ?? true) &&
        (found.scope === undefined || slot.scope === found.scope) &&
        (query.repository === undefined || jobOf(slot, around)?.repository === query.repository),
    )
    return c.json({
      schemaVersion: SCHEMA_VERSION,
      dispatch: world !== null,
      blind: toBlind(now),
      runners: slots.slice(0, query.limit).map((slot) => toRunner(slot, around)),
      truncated: now.isTruncated || slots.length > query.limit,
    })
  })
  api.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return api
}

function executingJob(slot: Slot): number | null {
  return slot.state === 'executing' ? slot.executing : null
}

function jobOf(slot: Slot, { jobs }: Around): Job | undefined {
  return jobs.get(executingJob(slot) ?? intendedJob(slot) ?? -1)
}

function toRunner(slot: Slot, around: Around) {
  const { uid, namespace, pod, scope, node, state, appearedAt } = slot
  const seen = around.pods.get(uid)
  const held = (id: number | null) => {
    if (id === null) return null
    const job = around.jobs.get(id)
    return { id, repository: job?.repository ?? null, name: job?.name ?? null }
  }
  return {
    uid,
    namespace,
    pod,
    pool: scope,
    node: seen?.node ?? node,
    state,
    life: seen?.life ?? null,
    obstacle: seen?.obstacle ?? null,
    appearedAt: toTime(appearedAt),
    since: toTime(sinceOf(slot)),
    intended: held(intendedJob(slot)),
    executing: held(executingJob(slot)),
    runner: slotRunner(slot),
  }
}

function sinceOf(slot: Slot): number {
  if ('startedAt' in slot) return slot.startedAt
  if ('mintedAt' in slot) return slot.mintedAt
  return 'claimedAt' in slot ? slot.claimedAt : slot.appearedAt
}
