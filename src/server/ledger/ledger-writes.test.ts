import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { blind } from '#/core/basics/observed.ts'
import { redactToBytes } from '#/app/judging.ts'
import { keepBeforeAct } from '#/runtime/ledger/keep-before-act.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { createGuards } from '#/server/access/auth.ts'
import { evidenceApi } from '#/server/ledger/evidence.ts'
import { ledgerApi } from '#/server/ledger/ledger.ts'
import { endAs, newAttempt, refusedAttempt, takeStep } from '#test/contracts/ledger-builders.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { admitAll } from '#test/server/open-guards.ts'

const clock = { now: () => 0 }
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

type Redact = Parameters<typeof keepBeforeAct>[0]['redact']

function served(redact: Redact = redactToBytes) {
  const { ledger, deaths } = memoryStore()
  const guards = createGuards({
    tokens: {
      find: async (shown) => {
        const role = shown === 'reader' ? 'read' : 'operate'
        const token = { name: shown, role, source: 'store', createdAt: 0, createdBy: 'x', expiresAt: null }
        return { kind: 'found', state: 'valid', token: { ...token, revokedAt: null, lastUsedAt: null } as never }
      },
    },
    isOpenHere: false,
    socketUser: 'x',
    peerAddress: () => '192.0.2.1',
    clock,
    log,
  })
  const keeping = { ledger, deaths, redact, rules: '1', clock }
  const keep = async (id: number, given: Parameters<typeof keepBeforeAct>[2]) => await keepBeforeAct(keeping, id, given)
  const routes = [
    { path: '/v1/ledger', handler: ledgerApi({ guards, ledger, writes: ledger, clock, admit: admitAll }) },
    { path: '/v1/evidence', handler: evidenceApi({ guards, keep, admit: admitAll }) },
  ]
  const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log, routes })
  const post = async (path: string, body: unknown, token: string | null = 'anna') => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await askChecked(app, path, { method: 'POST', headers, body: text })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return { app, ledger, deaths, post }
}

const META = JSON.stringify({ schemaVersion: 1, collectedAt: '2026-06-06T20:00:00Z' })
const LIST = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] })
const RECORDS = { path: 'kubernetes/ephemeralrunners.json', content: LIST }
const PODS = { path: 'kubernetes/pods.json', content: LIST }
const LOG = { path: 'logs/a/b/runner.log', content: 'x' }
const WRITES: readonly (readonly [string, object])[] = [
  ['/v1/ledger/attempts', newAttempt()],
  ['/v1/ledger/attempts/1/steps', { ...takeStep('x'), after: 1 }],
  ['/v1/ledger/attempts/1/end', { ...endAs('done'), after: 1 }],
  ['/v1/ledger/records', refusedAttempt()],
  ['/v1/evidence/1', { meta: META, files: [] }],
]

/** Every answer is held to the description by `askChecked`. */
describe.each(WRITES)('POST %s', (path, body) => {
  it('needs a token of the role operate', async () => {
    const { post, ledger } = served()
    expect((await post(path, body, null)).status).toBe(401)
    expect((await post(path, body, 'reader')).status).toBe(403)
    expect(await ledger.list({ limit: 10 })).toEqual([])
  })

  it.each([
    ['no JSON', '{', 400],
    ['no object', [], 400],
    ['a field too many', { ...body, more: 1 }, 400],
    ['a field too few', {}, 400],
    ['too many bytes', JSON.stringify({ ...body, more: 'x'.repeat(9 * 1024 * 1024) }), 413],
    ['too many values', JSON.stringify({ ...body, more: Array.from({ length: 20_000 }, () => 0) }), 413],
  ])('refuses %s', async (_what, wrong, status) => {
    const { post, ledger, deaths } = served()
    await ledger.begin(newAttempt())
    expect((await post(path, wrong)).status).toBe(status)
    const [row, ...more] = await ledger.list({ limit: 10 })
    expect([row?.steps.length, more]).toEqual([1, []])
    expect(await deaths.list({ limit: 10 })).toEqual([])
  })

  it('has no other method', async () => {
    const { app } = served()
    const answer = await askChecked(app, path, { method: 'DELETE', headers: { authorization: 'Bearer anna' } })
    expect(answer.status).toBe(405)
  })
})

describe('the writes of the ledger', () => {
  it('name who asks, whatever the body says', async () => {
    const { post, ledger } = served()
    await post('/v1/ledger/attempts', newAttempt({ actor: 'signalbox/reap' }))
    await post('/v1/ledger/attempts/1/steps', { ...takeStep('x', { actor: 'token/bob' }), after: 1 }, 'eve')
    await post('/v1/ledger/attempts/1/end', { ...endAs('done', { actor: 'token/bob' }), after: 2 })
    await post('/v1/ledger/records', refusedAttempt({ actor: 'token/bob' }))
    const rows = await ledger.list({ limit: 10 })
    expect(rows.map(({ actor }) => actor)).toEqual(['token/anna', 'token/anna'])
    expect(rows[1]?.steps.map(({ actor }) => actor)).toEqual(['token/anna', 'token/eve', 'token/anna'])
  })

  it.each(WRITES.slice(0, 4))('accept no epoch: %s', async (path, body) => {
    const { post } = served()
    expect((await post(path, { ...body, epoch: 0 })).status).toBe(400)
  })

  it.each(WRITES.slice(0, 4))('accept no time far from the server’s: %s', async (path, body) => {
    const { post } = served()
    for (const at of [-301_000, 301_000]) expect((await post(path, { ...body, at })).status).toBe(400)
  })

  it.each([
    ['/v1/ledger/attempts', { ...newAttempt(), loop: 'x' }],
    ['/v1/ledger/attempts', { ...newAttempt(), policy: undefined }],
    ['/v1/ledger/records', { ...refusedAttempt(), decidedBy: null }],
    ['/v1/ledger/records', { ...refusedAttempt(), outcome: 'done' }],
    ['/v1/ledger/attempts/1/end', { ...endAs('done'), decidedBy: 'identity', after: 1 }],
  ])('refuse what contradicts itself: %s %j', async (path, body) => {
    expect((await served().post(path, body)).status).toBe(400)
  })

  it('say who asks', async () => {
    const { app } = served()
    const as = async (token: string) => {
      const answer = await askChecked(app, '/v1/ledger/actor', { headers: { authorization: `Bearer ${token}` } })
      return [answer.status, ((await answer.json()) as { actor?: string }).actor]
    }
    expect(await as('anna')).toEqual([200, 'token/anna'])
    expect((await as('reader'))[0]).toBe(403)
  })
})

describe('evidence of an attempt', () => {
  it('is stored for an attempt that is under way only', async () => {
    const { post, ledger } = served()
    const body = { meta: META, files: [RECORDS, PODS] }
    expect((await post('/v1/evidence/1', body)).status).toBe(404)
    await ledger.record(refusedAttempt())
    expect((await post('/v1/evidence/1', body)).status).toBe(409)
    await ledger.begin(newAttempt())
    expect((await post('/v1/evidence/2', body)).status).toBe(200)
  })

  it.each([
    [{ meta: 'x', files: [] }],
    [{ meta: META, files: [{ path: '../x', content: '' }] }],
    [{ meta: META, files: [{ path: 'meta.json', content: '' }] }],
  ])('is refused if it is no bundle: %j', async (body) => {
    const { post, ledger } = served()
    await ledger.begin(newAttempt())
    expect((await post('/v1/evidence/1', body)).status).toBe(400)
  })

  it.each([[[]], [[RECORDS]], [[PODS, LOG]]])('is refused without what goes itself: %j', async (files) => {
    const { post, ledger, deaths } = served()
    await ledger.begin(newAttempt())
    const { status, body } = await post('/v1/evidence/1', { meta: META, files })
    expect([status, body['detail']]).toEqual([422, expect.stringContaining('it was not sent')])
    expect(await deaths.list({ limit: 10 })).toEqual([])
  })

  it.each(['recreate-listener', 'delete-pod'] as const)('of %s is whole with the pod alone', async (act) => {
    const { post, ledger } = served()
    await ledger.begin(newAttempt({ act }))
    expect((await post('/v1/evidence/1', { meta: META, files: [LOG] })).status).toBe(422)
    expect((await post('/v1/evidence/1', { meta: META, files: [PODS] })).status).toBe(200)
  })

  it.each([
    [RECORDS.path, 422],
    [PODS.path, 422],
    [LOG.path, 200],
  ])('where %s is too costly to redact the answer is %i', async (costly, expected) => {
    const { post, ledger } = served(async (file) =>
      file.path === costly ? blind('refused-by-limits', 'too costly to redact') : await redactToBytes(file),
    )
    await ledger.begin(newAttempt())
    const { status, body } = await post('/v1/evidence/1', { meta: META, files: [RECORDS, PODS, LOG] })
    expect(status).toBe(expected)
    if (expected === 422) expect(body['detail']).toContain('too costly to redact')
  })
})
