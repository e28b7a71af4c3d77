import { Hono } from 'hono'
import type { Context } from 'hono'

import type { Metrics } from '#/runtime/metrics.ts'

/** Something that must hold before this replica is given work. */
export type ReadinessCheck = {
  readonly name: string
  readonly check: (signal: AbortSignal) => Promise<{ readonly ok: true } | { readonly ok: false; readonly why: string }>
}

export type AppOptions = {
  readonly version: string
  readonly metrics: Metrics
  readonly readiness: readonly ReadinessCheck[]
}

const CHECK_TIMEOUT_MS = 2_000

/** Liveness has no dependencies: a database that is away must not get the process killed. */
export function createApp(options: AppOptions): Hono {
  const app = new Hono()
  app.get('/livez', (c) => c.text('ok\n'))
  app.get('/readyz', (c) => readiness(c, options.readiness))
  app.get('/metrics', (c) =>
    c.text(options.metrics.expose(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  )
  app.get('/v1/version', (c) => c.json({ schemaVersion: 1, version: options.version }))
  for (const path of ['/livez', '/readyz', '/metrics', '/v1/version']) {
    app.all(path, (c) => c.json({ error: `${path} can only be read` }, 405, { allow: 'GET, HEAD' }))
  }
  app.notFound((c) => c.json({ error: `there is no ${c.req.path} here; try /readyz, /metrics or /v1/version` }, 404))
  app.onError((_error, c) => c.json({ error: 'the server failed; its log says why' }, 500))
  return app
}

async function readiness(c: Context, checks: readonly ReadinessCheck[]): Promise<Response> {
  const results = await Promise.all(checks.map(async (one) => ({ name: one.name, result: await judged(one) })))
  const ready = results.every(({ result }) => result.ok)
  const lines = results.map(({ name, result }) => (result.ok ? `[+] ${name} ok` : `[-] ${name}: ${result.why}`))
  const verbose = c.req.query('verbose') !== undefined || !ready
  return c.text(`${[...(verbose ? lines : []), ready ? 'ok' : 'not ready'].join('\n')}\n`, ready ? 200 : 503)
}

async function judged(one: ReadinessCheck) {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
  try {
    return await Promise.race([one.check(signal), expiry(signal)])
  } catch (error) {
    return { ok: false as const, why: error instanceof Error ? error.message : String(error) }
  }
}

/** A check that cannot be interrupted must not keep the one who asks waiting. */
function expiry(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), { once: true })
  })
}
