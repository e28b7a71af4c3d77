import { describe, expect, it, vi } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp, guardedApi } from '#/server/app.ts'
import { deathsApi } from '#/server/deaths.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { admitAll, openGuards } from '#test/server/open-guards.ts'

function row(uid: string, diedAt: number, changes: Partial<DeathRecord> = {}): DeathRecord {
  const names = {
    namespace: 'n',
    pod: `p-${uid}`,
    node: 'n1',
    scope: null,
    job: null,
    pool: 'linux',
    repository: null,
    runner: null,
  }
  const document = { sentence: 'S.', next: ['Do.'], exitCode: 137, blind: [{ source: 'journal/n1', reason: 'x' }] }
  const verdict = { cause: 'oom-container', kind: 'death', confidence: 0.9, rules: '1', judgedAt: 1, document }
  return { uid, ...names, missed: false, diedAt, recordedAt: diedAt, verdict, ...changes }
}

const POD: EvidencePart = { source: 'pods', observed: 'seen', reason: null, content: new Uint8Array([1, 2]) }

async function served() {
  const { deaths, livePods } = memoryStore()
  const lost = { cause: 'node-lost', kind: 'death', confidence: 0.6, rules: '1', judgedAt: 1, document: null }
  await deaths.record(row('a', 1000), [POD])
  await deaths.record(row('b', 2000, { verdict: null, job: 7, repository: 'o/r', runner: 'r-b' }), [])
  await deaths.record(row('c', 3000, { verdict: lost, node: null, pool: null }), [])
  const asked: unknown[] = []
  const orders: { readonly signal: AbortSignal }[] = []
  const released: (() => void)[] = []
  const hold = { isOn: false, release: () => released.splice(0).forEach((resolve) => resolve()) }
  const handler = deathsApi({
    guards: openGuards,
    deaths,
    livePods,
    awaited: (uid) => (uid === 'b' ? { what: 'the journal of node n1', since: 2500 } : null),
    pack: async (evidence) => (evidence.length === 0 ? 'nothing is kept' : new Uint8Array([1])),
    admit: admitAll,
    mostRejudges: 2,
    rejudge: async (order) => {
      const { filter, apply, actor } = order
      orders.push(order)
      if (hold.isOn) await new Promise<void>((resolve) => released.push(resolve))
      asked.push([filter, apply, actor])
      const changed = [{ uid: 'u', pod: 'n/p', diedAt: 5, before: null, after: { cause: 'x', confidence: 1 } }]
      return { judged: 1, withoutEvidence: 0, changed, next: { diedAt: 5, uid: 'u' } }
    },
  })
  const api = { deaths: handler, guards: openGuards }
  const routes = guardedApi(api)
  const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log: { error: () => {} }, routes })
  const get = async (path: string, init: RequestInit = {}) => {
    const answer = await askChecked(app, path, init)
    return {
      status: answer.status,
      body: (await answer.json()) as Record<string, unknown> & { deaths?: { uid: string }[] },
    }
  }
  return { app, get, asked, deaths, orders, hold }
}

/** Every answer below is held to the description by `askChecked`. */
describe('the API of deaths', () => {
  it('says of a death that is not judged yet what it waits for, and since when', async () => {
    const { get } = await served()
    const sentence =
      'It is recorded and not judged yet: waiting for the journal of node n1, since 1970-01-01T00:00:02.500Z.'
    expect((await get('/v1/deaths?name=p-b')).body.deaths).toMatchObject([{ cause: 'unknown', sentence }])
    expect((await get('/v1/deaths/b')).body).toMatchObject({ death: { sentence } })
  })

  it.each([
    ['', ['c', 'b', 'a']],
    ['?since=2000', ['c', 'b']],
    ['?until=2000', ['a']],
    ['?cause=node-lost', ['c']],
    ['?kind=death', ['c', 'a']],
    ['?pool=linux&node=n1', ['b', 'a']],
    ['?node=n2', []],
    ['?name=p-b', ['b']],
    ['?name=r-b', ['b']],
    ['?job=7', ['b']],
    ['?repository=o/r', ['b']],
    ['?repository=o%2Fr&limit=1000', ['b']],
  ])('lists %s', async (query, expected) => {
    const { get } = await served()
    expect((await get(`/v1/deaths${query}`)).body.deaths?.map(({ uid }) => uid)).toEqual(expected)
  })

  it('gives page after page', async () => {
    const { get } = await served()
    const first = await get('/v1/deaths?limit=2')
    expect(first.body['next']).toBe('2000_b')
    const second = await get('/v1/deaths?limit=2&after=2000_b')
    expect([second.body.deaths?.map(({ uid }) => uid), second.body['next']]).toEqual([['a'], null])
  })

  it.each([
    ['?color=red', 'unknown parameter color'],
    ['?since=yesterday', 'since: is not a whole number'],
    ['?since=', 'since'],
    ['?since=1e3', 'since'],
    ['?since=9999999999999999', 'since'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?after=x', 'after: is not a value of `next`'],
    ['?job=0', 'job'],
    ['?cause=', 'cause'],
    [`?name=${'x'.repeat(501)}`, 'name'],
    ['?cause=a&cause=b', 'parameter cause is repeated'],
    ['?apply=true', 'unknown parameter apply'],
  ])('refuses %s, and names the parameters', async (query, detail) => {
    const { get } = await served()
    const { status, body } = await get(`/v1/deaths${query}`)
    expect([status, body['detail']]).toEqual([400, expect.stringContaining(detail)])
    expect(body['advice']).toEqual([
      'known parameters: since, until, cause, kind, node, pool, repository, job, name, limit, after',
      'see /v1/openapi.json',
    ])
  })

  it('shows one, and says where there is none, or no evidence', async () => {
    const { app, get } = await served()
    expect((await get('/v1/deaths/a')).body).toMatchObject({
      death: { uid: 'a', sentence: 'S.', exitCode: 137, next: ['Do.'] },
      evidence: [{ source: 'pods', observed: 'seen', reason: null, bytes: 2 }],
    })
    expect((await get('/v1/deaths/zz')).status).toBe(404)
    expect((await get('/v1/deaths/zz/evidence')).status).toBe(404)
    expect(await get('/v1/deaths/b/evidence')).toMatchObject({ status: 409, body: { detail: 'nothing is kept' } })
    const bundle = await askChecked(app, '/v1/deaths/a/evidence')
    expect([bundle.status, bundle.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="p-a.tar.gz"',
    ])
  })

  it('shows the verdicts that were replaced', async () => {
    const { get, deaths } = await served()
    expect((await get('/v1/deaths/a')).body).toMatchObject({ history: [] })
    const next = { cause: 'evicted', kind: 'death', confidence: 1, rules: '2', judgedAt: 7, document: {} }
    await deaths.rejudge('a', next)
    const former = { cause: 'oom-container', kind: 'death', confidence: 0.9, rules: '1', judgedAt: 1, sentence: 'S.' }
    expect((await get('/v1/deaths/a')).body).toMatchObject({ death: { cause: 'evicted' }, history: [former] })
  })

  it('judges again for a few callers at a time, and stops when one goes', async () => {
    const { get, orders, hold } = await served()
    hold.isOn = true
    const gone = new AbortController()
    const post = (init: RequestInit = {}) => get('/v1/deaths/rejudge', { method: 'POST', ...init })
    const two = [post({ signal: gone.signal }), post()]
    await vi.waitFor(() => expect(orders).toHaveLength(2), { timeout: 30_000 })
    expect((await post()).status).toBe(429)
    expect(orders.map(({ signal }) => signal.aborted)).toEqual([false, false])
    gone.abort()
    expect(orders.map(({ signal }) => signal.aborted)).toEqual([true, false])
    hold.isOn = false
    hold.release()
    await Promise.allSettled(two)
    expect((await post()).status).toBe(200)
  })

  it('judges again on request, and only then changes', async () => {
    const { get, asked } = await served()
    const answer = await get('/v1/deaths/rejudge?since=5&limit=50', { method: 'POST' })
    await get('/v1/deaths/rejudge?apply=true', { method: 'POST' })
    expect(answer.body).toMatchObject({ judged: 1, next: '5_u' })
    expect((await get('/v1/deaths/rejudge?apply=yes', { method: 'POST' })).status).toBe(400)
    expect(asked).toEqual([
      [{ since: 5, limit: 50 }, false, 'test'],
      [{ limit: 100 }, true, 'test'],
    ])
  })

  it.each([
    ['POST', '/v1/deaths', 'GET, HEAD'],
    ['GET', '/v1/deaths/rejudge', 'POST'],
    ['DELETE', '/v1/deaths/a', 'GET, HEAD'],
    ['PUT', '/v1/deaths/a/evidence', 'GET, HEAD'],
    ['POST', '/v1/openapi.json', 'GET, HEAD'],
  ])('refuses %s %s, and says what it takes', async (method, path, allow) => {
    const { app } = await served()
    const answer = await askChecked(app, path, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
  })
})
