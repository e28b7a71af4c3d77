import { describe, expect, it } from 'vitest'
import { at, listAt } from '#/core/basics/fields.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { getJob } from '#test/contracts/store-builders.ts'
import { ownPod } from '#test/dispatch/own-pods.ts'
import { serveQueue, toDeclared } from './queue-server.ts'

describe('GET /v1/jobs', () => {
  it('lists jobs in every state, the latest first, by state, pool and repository', async () => {
    await using server = await serveQueue()
    for (const id of [1, 2, 3, 4, 5]) await server.queue(id, { queuedAt: id })
    await server.queue(6, { queuedAt: 6, repository: 'acme/api', scope: 'runners/gone' })
    for (const uid of ['a', 'b', 'c', 'd']) await server.addPod(uid)
    await server.park(5, 'd')
    await server.claim(4, 'a')
    await server.claim(3, 'b')
    await server.mint('b')
    await server.claim(2, 'c')
    await server.start(2, await server.mint('c'))
    const ids = async (query: string) =>
      listAt(await server.get(`/v1/jobs${query}`), 'jobs').map((job) => [at(job, 'id'), at(job, 'state')])
    expect(await ids('')).toEqual([
      [6, 'queued'],
      [5, 'parked'],
      [4, 'claimed'],
      [3, 'minted'],
      [2, 'executing'],
      [1, 'queued'],
    ])
    expect(await ids('?state=parked')).toEqual([[5, 'parked']])
    expect(await ids('?state=queued,claimed')).toEqual([
      [6, 'queued'],
      [4, 'claimed'],
      [1, 'queued'],
    ])
    expect(await ids('?state=queued,parked&limit=2')).toEqual([
      [6, 'queued'],
      [5, 'parked'],
    ])
    expect(await ids('?pool=linux&limit=1')).toEqual([[5, 'parked']])
    expect(await ids('?pool=runners/gone')).toEqual([[6, 'queued']])
    expect(await ids('?repository=acme/api')).toEqual([[6, 'queued']])
    expect(await server.get('/v1/jobs?limit=2')).toMatchObject({ truncated: true })
    expect(await server.get('/v1/jobs?limit=6')).toMatchObject({ truncated: false })
  })

  it.each(['?state=gone', '?limit=1001', '?limit=0', '?other=1', '?state=', '?pool=', '?pool=a&pool=b'])(
    'refuses %s',
    async (query) => {
      await using server = await serveQueue()
      expect((await server.ask(`/v1/jobs${query}`)).status).toBe(400)
    },
  )

  it('asks for the namespace where pools have the same name', async () => {
    await using server = await serveQueue()
    server.declare(declarePool('linux'), declarePool('linux', { namespace: 'other' }))
    const answer = await server.ask('/v1/queue?pool=linux')
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('other/linux')])
    expect((await server.ask('/v1/jobs?pool=nothing')).status).toBe(404)
  })
})

describe('GET /v1/jobs/ID', () => {
  it('has the whole history with the code path that acted each time', async () => {
    await using server = await serveQueue()
    await server.queue(1)
    await server.addPod('a')
    await server.claim(1, 'a')
    await server.mint('a')
    await server.give(1, 'a', 'mint-failed')
    const retried = await server.ask('/v1/jobs/1/retry', 'POST')
    expect(retried.status).toBe(200)
    const shown = await server.get('/v1/jobs/1')
    expect(
      listAt(shown, 'history').map((row) => [at(row, 'event'), at(row, 'to'), at(row, 'by'), at(row, 'reason')]),
    ).toEqual([
      ['announced', 'queued', 'github', null],
      ['claimed', 'claimed', 'dispatch', null],
      ['minted', 'minted', 'dispatch', null],
      ['returned', 'queued', 'dispatch', 'mint-failed'],
      ['retried', 'queued', 'test', null],
    ])
    expect(listAt(shown, 'history')[1]).toMatchObject({ slot: 'a', pod: 'runners/linux-a' })
    expect(listAt(shown, 'ledger')).toMatchObject([
      { act: 'return-job', command: 'jobs retry', actor: 'test', outcome: 'done', subject: { kind: 'Job', name: '1' } },
    ])
  })

  it.each(['0', '99', 'x', '-1', '1e3', '9'.repeat(40), '%00'])('answers 404 for %s', async (id) => {
    await using server = await serveQueue()
    expect((await server.ask(`/v1/jobs/${id}`)).status).toBe(404)
    expect((await server.ask(`/v1/jobs/${id}/retry`, 'POST')).status).toBe(404)
  })
})

describe('POST /v1/jobs/ID/retry', () => {
  it('puts a parked job back, due at once, and refuses what is not held back', async () => {
    await using server = await serveQueue()
    await server.queue(1)
    await server.addPod('a')
    const early = await server.ask('/v1/jobs/1/retry', 'POST')
    expect([early.status, await early.text()]).toEqual([409, expect.stringContaining('due already')])
    await server.park(1, 'a')
    const answer = await server.ask('/v1/jobs/1/retry', 'POST')
    expect(await answer.json()).toMatchObject({ job: { state: 'queued', recoveries: 0, notBefore: null } })
    expect(await getJob(server.store.assignments, 1)).toMatchObject({ state: 'queued', notBefore: 0 })
    await server.claim(1, 'a')
    expect((await server.ask('/v1/jobs/1/retry', 'POST')).status).toBe(409)
    expect(await server.store.ledger.list({ limit: 10 })).toHaveLength(1)
  })

  it('is one act, however many ask at once', async () => {
    await using server = await serveQueue()
    await server.queue(1)
    await server.addPod('a')
    await server.park(1, 'a')
    const answers = await Promise.all([1, 2, 3].map(async () => await server.ask('/v1/jobs/1/retry', 'POST')))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    const retries = (await server.store.assignments.history(1)).filter(({ event }) => event.kind === 'retried')
    expect(retries).toHaveLength(1)
  })

  it('needs the role operate; reading needs the role read', async () => {
    const refuse = async () =>
      new Response('{}', { status: 403, headers: { 'content-type': 'application/problem+json' } })
    await using reader = await serveQueue({ guards: { read: async (_, next) => await next(), operate: refuse } })
    await reader.queue(1)
    expect(await statuses(reader.url)).toEqual([200, 200, 200, 200, 200, 403])
    await using nobody = await serveQueue({ guards: { read: refuse, operate: refuse } })
    await nobody.queue(1)
    expect(await statuses(nobody.url)).toEqual([403, 403, 403, 403, 403, 403])
  })
})

async function statuses(url: string): Promise<readonly number[]> {
  const paths = ['/v1/queue', '/v1/jobs', '/v1/jobs/1', '/v1/runners', '/v1/pools']
  const answers = await Promise.all([
    ...paths.map(async (path) => await fetch(`${url}${path}`)),
    fetch(`${url}/v1/jobs/1/retry`, { method: 'POST' }),
  ])
  return answers.map(({ status }) => status)
}

describe('GET /v1/runners', () => {
  it('shows the slot, its pod, the job it is meant for and the one it executes', async () => {
    await using server = await serveQueue()
    await server.queue(1)
    await server.queue(2, { repository: 'acme/api' })
    for (const uid of ['a', 'b']) await server.addPod(uid)
    await server.addPod('c', 'unschedulable')
    await server.claim(1, 'a')
    await server.claim(2, 'b')
    await server.start(2, await server.mint('b'))
    const { runners } = (await server.get('/v1/runners')) as { readonly runners: readonly unknown[] }
    expect(runners).toMatchObject([
      { pod: 'linux-a', node: 'n1', state: 'claimed', life: 'waiting', intended: { id: 1 }, executing: null },
      {
        pod: 'linux-b',
        state: 'executing',
        executing: { id: 2, repository: 'acme/api', name: 'test 2' },
        runner: { id: 4711, name: 'linux-b-01234567' },
      },
      { pod: 'linux-c', state: 'warm', life: 'scheduling' },
    ])
    const pods = async (query: string) =>
      listAt(await server.get(`/v1/runners${query}`), 'runners').map((runner) => at(runner, 'pod'))
    expect(await pods('?state=warm,claimed')).toEqual(['linux-a', 'linux-c'])
    expect(await pods('?repository=acme/api')).toEqual(['linux-b'])
    expect(await pods('?pool=runners/other')).toEqual([])
    expect(await server.get('/v1/runners?limit=1')).toMatchObject({ truncated: true })
    expect((await server.ask('/v1/runners?state=ended')).status).toBe(400)
  })
})

describe('GET /v1/pools', () => {
  it('shows size, pods, queue, conditions and mistakes of each', async () => {
    await using server = await serveQueue()
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Short', message: 'quota', lastTransitionTime: 'x' }]
    const problems = [{ path: 'spec.labels', why: 'is empty' }]
    const broken = { ...toDeclared(declarePool('win')), reading: { kind: 'invalid' as const, problems } }
    server.declare(toDeclared(declarePool('linux'), { ...ownPod('pool'), status: { conditions } }), broken)
    await server.queue(1)
    await server.addPod('a')
    expect(await server.get('/v1/pools')).toMatchObject({
      pools: [
        {
          pool: 'runners/linux',
          labels: ['linux'],
          github: { scope: 'repository', owner: 'acme', credential: 'github-app' },
          size: { warm: 0, max: 20 },
          replicas: { starting: 0, idle: 1, busy: 0, terminating: 0 },
          queued: { dispatchable: 1, withheld: 0 },
          conditions: [{ type: 'Ready', status: 'False', reason: 'Short', message: 'quota', since: 'x' }],
          problems: [],
        },
        { pool: 'runners/win', github: null, size: null, problems: ['spec.labels is empty'] },
      ],
    })
    expect(listAt(await server.get('/v1/pools?pool=win'), 'pools')).toHaveLength(1)
  })
})

it('refuses methods that the routes do not have', async () => {
  await using server = await serveQueue()
  await server.queue(1)
  for (const path of ['/v1/queue', '/v1/jobs', '/v1/jobs/1', '/v1/runners', '/v1/pools']) {
    expect((await server.ask(path, 'POST')).status).toBe(405)
  }
  expect((await server.ask('/v1/jobs/1/retry')).status).toBe(405)
})
