import { Hono } from 'hono'
import type { MiddlewareHandler } from 'hono'
import { breakerState } from '#/core/dispatch/breaker.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { StoredBreakers } from '#/runtime/dispatch/breakers.ts'
import type { Guards } from '#/server/access/auth.ts'
import { callerOf } from '#/server/access/caller.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import { readQuery } from '#/server/request/read-query.ts'
import { resetQuery } from '#/server/recovery-schemas.ts'

export type BreakersOptions = {
  readonly guards: Guards
  readonly breakers: Pick<StoredBreakers, 'list' | 'reset'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info'>
  /** Gives each request its turn. */
  readonly admit: MiddlewareHandler
}

/** `/v1/breakers`: what is stopped because it keeps failing. */
export function breakersApi({ guards, breakers, clock, log, admit }: BreakersOptions): Hono {
  const api = new Hono()
  api.get('/', guards.read, admit, async (c) => {
    const now = clock.now()
    const rows = (await breakers.list()).map((row) => {
      const { key, failures, openUntil, why, changedAt } = row
      return { key, state: breakerState(row, now), failures, openUntil, why, changedAt }
    })
    return c.json({ schemaVersion: SCHEMA_VERSION, breakers: rows })
  })
  api.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  api.post('/reset', guards.operate, admit, async (c) => {
    const query = readQuery(c, resetQuery)
    if ('status' in query) return sendProblem(c, query)
    const { key } = query
    if (!(await breakers.reset(key))) {
      const detail = 'there is no breaker of this key, or it is closed already'
      return sendProblem(c, { status: 404, detail, advice: ['see: signalbox breakers list'] })
    }
    log.info('breaker reset', { actor: callerOf(c).actor, key })
    return c.json({ schemaVersion: SCHEMA_VERSION, reset: key })
  })
  api.all('/reset', guards.operate, (c) => onlyAllows(c, ['POST']))
  return api
}
