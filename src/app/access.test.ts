import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import { loadConfig } from '#/config/load.ts'
import type { Config } from '#/config/config.ts'
import { ROLES } from '#/core/access/role.ts'
import { at, listAt, toFields } from '#/core/basics/fields.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { openApi } from '#/server/openapi.ts'
import { digestOf, mintToken } from '#/server/access/token-text.ts'
import { openLedger } from './ledger.ts'
import { redactToBytes } from './judging.ts'
import { openAccess } from './access.ts'
import { openAuditWebhook } from './audit-webhook.ts'
import { admitAll } from '#test/server/open-guards.ts'
import { openBreakers } from './dispatch/breakers.ts'
import { openQueueApi } from './dispatch/queue-api.ts'
import { openRecovery } from './dispatch/recovery.ts'
import { openDeathsApi } from './deaths-api.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-access-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function configOf(env: Readonly<Record<string, string>> = {}): Promise<Config> {
  const loaded = await loadConfig({ flags: [], workingFolder: folder }, { HOME: folder, ...env })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

async function assembled() {
  const store = memoryStore()
  const tokens = Object.fromEntries(ROLES.map((role) => [role, mintToken()])) as Record<(typeof ROLES)[number], string>
  for (const role of ROLES) {
    const made = { name: role, role, createdAt: 1, createdBy: 'test', expiresAt: null, digest: digestOf(tokens[role]) }
    await store.tokens.add(made, 0)
  }
  const metrics = createMetrics()
  const means = { config: await configOf(), clock: systemClock, log: SILENT, metrics }
  const access = await openAccess({ ...means, tokens: store.tokens })
  const judging = { judge: async () => null, rules: 'test' }
  const { deaths: rows, livePods } = store
  const asked = { deaths: rows, livePods, judging, pack: async () => 'none', awaited: () => null, admit: admitAll }
  const deaths = openDeathsApi({ ...means, ...asked, guards: access.guards })
  const audit = await openAuditWebhook({ ...means, readAuditEvents: async () => null })
  const { ledger } = store
  const { guards } = access
  const keeping = { deaths: rows, redact: redactToBytes, rules: 'test', admit: admitAll }
  const acts = openLedger({ ...means, ...keeping, guards, ledger, forApi: ledger })
  const breakers = openBreakers({ ...means, store, guards, admit: admitAll })
  const recovery = openRecovery(null, { ...means, store, ledger, guards, admit: admitAll })
  const queue = openQueueApi(null, { ...means, store, ledger, guards, admit: admitAll, breakers: breakers.breakers })
  const routes = [access, deaths, audit, acts, breakers, recovery, queue].flatMap((part) => part.routes ?? [])
  const app = createApp({ version: '1', metrics, readiness: [], log: SILENT, routes })
  return { app, tokens }
}

/** What the program really answers, found by walking its routes: one that is added without a guard is found too. */
function routesOf(app: Hono): readonly (readonly [method: string, path: string])[] {
  const all = app.routes
    .filter(({ path }) => path.startsWith('/v1/') && path !== '/v1/version')
    .map(
      ({ method, path }) =>
        [method === 'ALL' ? 'PATCH' : method, path.replaceAll(/:\w+(?:\{\[0-9\]\{1,15\}\})?/g, '1')] as const,
    )
  return [...new Map(all.map((route) => [route.join(' '), route])).values()]
}

async function statusOf(app: Hono, [method, path]: readonly [string, string], token: string | null): Promise<number> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  return (await app.request(`http://127.0.0.1${path}`, { method, headers })).status
}

describe('every route of the API', () => {
  it('refuses a caller without a token, and one with a wrong token', async () => {
    const { app } = await assembled()
    const routes = routesOf(app)
    expect(routes.length).toBeGreaterThan(10)
    for (const route of routes) {
      for (const token of [null, mintToken()]) {
        const status = await statusOf(app, route, token)
        // Without audit.tokenFile the webhook is closed to everybody.
        const expected = route[1] === '/v1/audit' ? [403] : [401, 429]
        expect([route, expected.includes(status)]).toEqual([route, true])
      }
    }
  })

  it('needs the role that its description names', async () => {
    const { app, tokens } = await assembled()
    const needed = new Map<string, string>()
    for (const [path, methods] of Object.entries(toFields(openApi()['paths']))) {
      for (const [method, operation] of Object.entries(toFields(methods))) {
        const role = listAt(listAt(operation, 'security')[0], 'token')[0]
        if (typeof role === 'string') needed.set(`${method.toUpperCase()} ${path}`, role)
      }
    }
    expect(Object.fromEntries(needed)).toEqual({
      'GET /v1/deaths': 'read',
      'GET /v1/hosts': 'read',
      'GET /v1/ledger': 'read',
      'GET /v1/ledger/actor': 'operate',
      'POST /v1/ledger/attempts': 'operate',
      'POST /v1/ledger/attempts/{id}/steps': 'operate',
      'POST /v1/ledger/attempts/{id}/end': 'operate',
      'POST /v1/ledger/records': 'operate',
      'POST /v1/evidence/{attempt}': 'operate',
      'GET /v1/queue': 'read',
      'GET /v1/jobs': 'read',
      'GET /v1/jobs/{id}': 'read',
      'POST /v1/jobs/{id}/retry': 'operate',
      'GET /v1/runners': 'read',
      'GET /v1/pools': 'read',
      'GET /v1/breakers': 'read',
      'POST /v1/breakers/reset': 'operate',
      'GET /v1/recover': 'operate',
      'GET /v1/processes': 'read',
      'POST /v1/deaths/rejudge': 'operate',
      'GET /v1/deaths/{uid}': 'read',
      'GET /v1/deaths/{uid}/evidence': 'read',
      'GET /v1/tokens': 'operate',
      'POST /v1/tokens': 'operate',
      'DELETE /v1/tokens/{name}': 'operate',
      'GET /v1/openapi.json': 'read',
    })
    for (const [operation, role] of needed) {
      const [method = '', path = ''] = operation.replace(/\{\w+\}/, '1').split(' ')
      const isRefused = async (token: string) => [401, 403].includes(await statusOf(app, [method, path], token))
      const refused = [await isRefused(tokens.read), await isRefused(tokens.operate)]
      expect([operation, ...refused]).toEqual([operation, role === 'operate', false])
    }
    expect(at(openApi(), 'components', 'securitySchemes', 'token')).toMatchObject({ type: 'http', scheme: 'bearer' })
  })
})

describe('a file of tokens', () => {
  it.each([
    ['SIGNALBOX_API_TOKEN_FILE', 'short', 'api.tokenFile: the token in'],
    ['SIGNALBOX_API_TOKENS_FILE', 'ci admin x never', 'api.tokensFile: '],
  ])('that cannot be used stops the start: %s', async (variable, content, message) => {
    const path = join(folder, variable)
    await writeFile(path, content)
    const means = { clock: systemClock, log: SILENT, metrics: createMetrics(), tokens: memoryStore().tokens }
    const config = await configOf({ [variable]: path })
    await expect(openAccess({ ...means, config })).rejects.toThrow(message)
    const absent = await configOf({ [variable]: `${path}.absent` })
    await expect(openAccess({ ...means, config: absent })).rejects.toThrow('does not exist')
  })
})
