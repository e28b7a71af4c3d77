import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'

import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp, guardedApi } from '#/server/app.ts'
import type { ReadinessCheck } from '#/server/app.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { openGuards } from '#test/server/open-guards.ts'

const logged: string[] = []
const log = { error: (message: string) => void logged.push(message) }
const appWith = (...readiness: readonly ReadinessCheck[]) =>
  createApp({ version: '1.2.3', metrics: createMetrics(), readiness, log, routes: [] })

const away: ReadinessCheck = { name: 'database', check: async () => ({ ok: false, why: 'connection refused' }) }
const there: ReadinessCheck = { name: 'database', check: async () => ({ ok: true }) }

describe('the server', () => {
  it('is alive even when everything it needs is away', async () => {
    const answer = await appWith(away).request('/livez')
    expect([answer.status, await answer.text()]).toEqual([200, 'ok\n'])
  })

  it('is ready when every check holds, and names them when asked', async () => {
    expect(await (await appWith(there).request('/readyz')).text()).toBe('ok\n')
    expect(await (await appWith(there).request('/readyz?verbose')).text()).toBe('[+] database ok\nok\n')
  })

  it('says which check failed and why when it is not ready', async () => {
    const answer = await appWith(away).request('/readyz')
    expect([answer.status, await answer.text()]).toEqual([503, '[-] database: connection refused\nnot ready\n'])
  })

  it('is not ready when a check breaks', async () => {
    const broken: ReadinessCheck = {
      name: 'database',
      check: async () => {
        throw new Error('broken')
      },
    }
    expect((await appWith(broken).request('/readyz')).status).toBe(503)
  })

  it('is not ready when a check gives no answer, and says so in time', async () => {
    const frozen: ReadinessCheck = { name: 'database', check: () => new Promise(() => {}) }
    const answer = await appWith(frozen).request('/readyz')
    expect([answer.status, await answer.text()]).toEqual([503, '[-] database: no answer within 2000 ms\nnot ready\n'])
  })

  it.each(['/livez', '/readyz', '/metrics', '/v1/version'])('only lets %s be read', async (path) => {
    const answer = await appWith(there).request(path, { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await appWith(there).request(path, { method: 'HEAD' })).status).toBe(200)
  })

  it('gives its version as described', async () => {
    expect(await (await askChecked(appWith(there), '/v1/version')).json()).toEqual({
      schemaVersion: 1,
      version: '1.2.3',
    })
    await askChecked(appWith(there), '/v1/version', { method: 'DELETE' })
  })

  it('points a lost client to the description', async () => {
    const answer = await askChecked(appWith(), '/v2')
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { title: 'Not Found', detail: 'no such path: /v2', advice: [expect.stringContaining('/readyz') as string] },
    ])
  })

  it.each([
    ['a database that is away', new StoreUnavailable('connection refused'), 503, 'the database is unavailable'],
    ['a fault', new Error('secret of the fault'), 500, 'internal error'],
  ])('says of %s no more than that, and more in its log', async (_, error, status, detail) => {
    const deaths = new Hono().get('/', () => {
      throw error
    })
    const api = { deaths, guards: openGuards }
    const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log, routes: guardedApi(api) })
    logged.length = 0
    const answer = await app.request('/v1/deaths')
    const text = await answer.text()
    expect([answer.status, text]).toEqual([status, expect.stringContaining(detail)])
    expect(text).not.toContain('secret')
    expect(logged).toEqual(['request failed'])
  })
})
