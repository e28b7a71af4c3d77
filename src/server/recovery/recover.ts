import { Hono } from 'hono'
import type { MiddlewareHandler } from 'hono'
import { decideRecovery, LOOP_IDS } from '#/core/recovery/recovery.ts'
import type { Recovery } from '#/core/recovery/recovery.ts'
import type { Clock } from '#/ports/clock.ts'
import type { RecoveryLoops } from '#/runtime/recovery/run-loops.ts'
import type { Guards } from '#/server/access/auth.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { readQuery } from '#/server/request/read-query.ts'
import { recoverQuery } from '#/server/recovery-schemas.ts'

export type RecoverOptions = {
  readonly guards: Guards
  /** Null where this server has no pools of its own. */
  readonly dryRun: RecoveryLoops['dryRun'] | null
  readonly clock: Pick<Clock, 'now'>
  readonly admit: MiddlewareHandler
}

/** `/v1/recover`: what the loops would do now. It asks GitHub, so it needs `operate`, and one asks at a time. */
export function recoverApi({ guards, dryRun, clock, admit }: RecoverOptions): Hono {
  const api = new Hono()
  let isAsking = false
  api.get('/', guards.operate, admit, async (c) => {
    const query = readQuery(c, recoverQuery)
    if ('status' in query) return sendProblem(c, query)
    if (dryRun === null) return sendProblem(c, OFF)
    if (isAsking) return sendProblem(c, ASKING)
    isAsking = true
    try {
      const now = clock.now()
      const reports = await dryRun(query.loops ?? LOOP_IDS, c.req.raw.signal)
      const loops = reports.map(({ loop, isDisabled, candidates }) => ({
        loop,
        disabled: isDisabled,
        candidates: candidates.map((one) => toDocument(one, now)),
      }))
      return c.json({ schemaVersion: SCHEMA_VERSION, loops })
    } finally {
      isAsking = false
    }
  })
  api.all('/', guards.operate, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return api
}

function toDocument(recovery: Recovery, now: number) {
  const { loop, act, subject, since, checks } = recovery
  const sinceSeconds = Math.max(0, Math.floor((now - since) / 1000))
  return { loop, act, subject, ...decideRecovery(recovery), sinceSeconds, gates: checks }
}

const OFF: Problem = {
  status: 409,
  detail: 'this server has no pools of its own, so there is nothing to recover',
  advice: ['turn it on: dispatch.enabled'],
}

const ASKING: Problem = {
  status: 503,
  detail: 'another dry run is under way, and each of them asks GitHub',
  advice: ['try again in a few seconds'],
  headers: { 'retry-after': '5' },
}
