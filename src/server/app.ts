import { Hono } from 'hono'
import type { Context } from 'hono'
import type { Log } from '#/ports/log.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import type { Guards } from '#/server/access/auth.ts'
import { openApi } from './openapi.ts'
import { SCHEMA_VERSION } from './openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import { protectAnswers } from './protective-headers.ts'

/** Must pass before this replica receives traffic. */
export type ReadinessCheck = {
  readonly name: string
  readonly check: (signal: AbortSignal) => Promise<Readiness>
}

/** A note is for people: it works, and something needs attention. */
export type Readiness = { readonly ok: true; readonly note?: string } | { readonly ok: false; readonly why: string }

export type AppOptions = {
  readonly version: string
  readonly metrics: Metrics
  readonly readiness: readonly ReadinessCheck[]
  readonly log: Pick<Log, 'error'>
  readonly routes: readonly Route[]
}

/** What answers at a path and below it. */
export type Route = { readonly path: string; readonly handler: Hono }

const CHECK_TIMEOUT_MS = 2_000
const OPEN = ['/livez', '/readyz', '/metrics', '/v1/version']

/** Liveness has no dependencies: an unreachable database must not get the process killed. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono()
  app.use('*', protectAnswers)
  app.get('/livez', (c) => c.text('ok\n'))
  app.get('/readyz', (c) => readiness(c, options.readiness))
  app.get('/metrics', (c) =>
    c.text(options.metrics.expose(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  )
  app.get('/v1/version', (c) => c.json({ schemaVersion: SCHEMA_VERSION, version: options.version }))
  for (const path of OPEN) app.all(path, (c) => onlyAllows(c, ['GET', 'HEAD']))
  for (const { path, handler } of options.routes) app.route(path, handler)
  app.notFound((c) => sendProblem(c, { status: 404, detail: `no such path: ${c.req.path}`, advice: [LOST] }))
  app.onError((error, c) => failed(c, error, options.log))
  return app
}

const LOST = 'try /readyz, /metrics, /v1/deaths or /v1/openapi.json'

/** `/v1/deaths` and the description of the API; each route of `deaths` declares its role by a guard. */
export function guardedApi({ guards, deaths }: { readonly guards: Guards; readonly deaths: Hono }): readonly Route[] {
  const description = openApi()
  const described = new Hono()
  described.get('/', guards.read, (c) => c.json(description))
  described.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return [
    { path: '/v1/openapi.json', handler: described },
    { path: '/v1/deaths', handler: deaths },
  ]
}

function failed(c: Context, error: Error, log: AppOptions['log']): Response {
  // Its caller went, and nobody reads the answer.
  if (c.req.raw.signal.aborted) return c.body(null, 408)
  log.error('request failed', { path: c.req.path, why: error.message })
  if (error instanceof StoreUnavailable) {
    return sendProblem(c, { status: 503, detail: 'the database is unavailable', advice: ['see /readyz?verbose'] })
  }
  return sendProblem(c, { status: 500, detail: 'internal error', advice: ["see the server's log"] })
}

async function readiness(c: Context, checks: readonly ReadinessCheck[]): Promise<Response> {
  const results = await Promise.all(checks.map(async (one) => ({ name: one.name, result: await judged(one) })))
  const ready = results.every(({ result }) => result.ok)
  const lines = results.map(({ name, result }) =>
    result.ok ? `[+] ${name} ok${result.note === undefined ? '' : `: ${result.note}`}` : `[-] ${name}: ${result.why}`,
  )
  const verbose = c.req.query('verbose') !== undefined || !ready
  return c.text(`${[...(verbose ? lines : []), ready ? 'ok' : 'not ready'].join('\n')}\n`, ready ? 200 : 503)
}

async function judged(one: ReadinessCheck): Promise<Readiness> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
  try {
    return await Promise.race([one.check(signal), expiry(signal)])
  } catch (error) {
    return { ok: false as const, why: error instanceof Error ? error.message : String(error) }
  }
}

/** A check that cannot be interrupted must not block the caller. */
function expiry(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), { once: true })
  })
}
