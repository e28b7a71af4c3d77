import { Hono } from 'hono'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { observeDispatch, viewPools } from '#/runtime/own-pools/observe-dispatch.ts'
import type { DispatchNow } from '#/runtime/own-pools/observe-dispatch.ts'
import { showQueue } from '#/runtime/own-pools/show-queue.ts'
import type { ShownQueue } from '#/runtime/own-pools/show-queue.ts'
import type { DeclaredPool } from '#/runtime/pools/pool-book.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import { readQuery } from '#/server/request/read-query.ts'
import { toBlind } from './documents.ts'
import { findPool } from './find-pool.ts'
import type { QueueOptions } from './options.ts'
import { poolsQuery } from '#/server/queue-schemas.ts'

const MOST_PROBLEMS = 50
const MOST_CONDITIONS = 20

/** `/v1/pools`: every declared pool, those with mistakes too. */
export function poolsApi(options: QueueOptions): Hono {
  const { guards, admit, assignments, world } = options
  const api = new Hono()
  api.get('/', guards.read, admit, async (c) => {
    const query = readQuery(c, poolsQuery)
    if ('status' in query) return sendProblem(c, query)
    const now: DispatchNow = await observeDispatch(options)
    const found = findPool(query.pool, now)
    if ('status' in found) return sendProblem(c, found)
    const pools: ReturnType<typeof toPool>[] = []
    for (const view of viewPools(now)) {
      const { declared, scope } = view
      if (declared === null || (found.scope !== undefined && scope !== found.scope)) continue
      pools.push(toPool(declared, await showQueue(view, now, assignments)))
    }
    return c.json({ schemaVersion: SCHEMA_VERSION, dispatch: world !== null, blind: toBlind(now), pools })
  })
  api.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return api
}

function toPool({ scope, reading, isDeleting, object }: DeclaredPool, { spec, counts, waiting }: ShownQueue) {
  const problems = reading.kind === 'invalid' ? reading.problems : []
  const dispatchable = waiting.filter(({ place }) => place !== null).length
  const github = spec?.github
  return {
    pool: scope,
    labels: spec?.labels ?? [],
    github:
      github === undefined
        ? null
        : {
            scope: github.scope,
            owner: github.owner,
            repositories: github.repositories,
            runnerGroup: github.runnerGroup,
            credential: github.credential,
          },
    size: spec === null ? null : { warm: spec.size.warm, max: spec.size.max },
    deleting: isDeleting,
    replicas: counts,
    queued: { dispatchable, withheld: waiting.length - dispatchable },
    conditions: listAt(object, 'status', 'conditions').slice(0, MOST_CONDITIONS).map(toCondition),
    problems: problems.slice(0, MOST_PROBLEMS).map(({ path, why }) => `${path} ${why}`),
  }
}

function toCondition(condition: unknown) {
  return {
    type: textAt(condition, 'type') ?? '',
    status: textAt(condition, 'status') ?? 'Unknown',
    reason: textAt(condition, 'reason'),
    message: textAt(condition, 'message'),
    since: textAt(condition, 'lastTransitionTime'),
  }
}
