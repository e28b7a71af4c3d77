import { Hono } from 'hono'
import { OPEN_OUTCOMES } from '#/core/webhooks/outcome.ts'
import type { DeliveryRow } from '#/ports/store/deliveries.ts'
import { observeDispatch, viewPools } from '#/runtime/own-pools/observe-dispatch.ts'
import { showQueue } from '#/runtime/own-pools/show-queue.ts'
import type { ShownQueue } from '#/runtime/own-pools/show-queue.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import { readQuery } from '#/server/request/read-query.ts'
import { toBlind, toPoolQueue, toTime, toWaiting } from './documents.ts'
import { findPool } from './find-pool.ts'
import type { QueueOptions } from './options.ts'
import { queueQuery } from '#/server/queue-schemas.ts'

const MOST_JOBS = 5000
const MOST_UNMATCHED = 50

/** `/v1/queue`: which jobs wait, and what each waits for. */
export function queueApi(options: QueueOptions): Hono {
  const { guards, admit, assignments, deliveries, world } = options
  const api = new Hono()
  api.get('/', guards.read, admit, async (c) => {
    const query = readQuery(c, queueQuery)
    if ('status' in query) return sendProblem(c, query)
    const now = await observeDispatch(options)
    const found = findPool(query.pool, now)
    if ('status' in found) return sendProblem(c, found)
    const { scope } = found
    const shown: ShownQueue[] = []
    for (const view of viewPools(now)) {
      if (scope === undefined || view.scope === scope) shown.push(await showQueue(view, now, assignments))
    }
    const queues = shown.map((queue) => ofRepository(queue, query.repository))
    const jobs = queues.flatMap(({ waiting }) => waiting.slice(0, query.limit)).slice(0, MOST_JOBS)
    const total = queues.reduce((sum, { waiting }) => sum + waiting.length, 0)
    const unmatched = await deliveries.list({ outcomes: OPEN_OUTCOMES, limit: MOST_UNMATCHED })
    return c.json({
      schemaVersion: SCHEMA_VERSION,
      dispatch: world !== null,
      blind: toBlind(now),
      pools: queues.map(toPoolQueue),
      jobs: jobs.map(toWaiting),
      truncated: now.isTruncated || jobs.length < total,
      breakers: now.open.map(({ key, why, until }) => ({ key, why, until: toTime(until) })),
      // They belong to no pool.
      unmatched: scope === undefined ? unmatched.filter(isOf(query.repository)).map(toUnmatched) : [],
    })
  })
  api.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return api
}

/** The places stay those among all jobs. */
function ofRepository(queue: ShownQueue, repository: string | undefined): ShownQueue {
  if (repository === undefined) return queue
  return { ...queue, waiting: queue.waiting.filter(({ job }) => job.repository === repository) }
}

function isOf(repository: string | undefined): (row: DeliveryRow) => boolean {
  return (row) => repository === undefined || row.repository === repository
}

function toUnmatched({ guid, event, receivedAt, job, repository, outcome, why, attempts }: DeliveryRow) {
  return { guid, event, receivedAt: toTime(receivedAt), job, repository, outcome, why, attempts }
}
