import { describe, expect, it } from 'vitest'
import { at, listAt, textAt } from '#/core/basics/fields.ts'
import { NO_RULES } from '#/core/dispatch/fairness.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { getJob } from '#test/contracts/store-builders.ts'
import { ownPod } from '#test/dispatch/own-pods.ts'
import { serveQueue, toDeclared } from './queue-server.ts'
import type { QueueServer } from './queue-server.ts'

const waits = (queue: unknown): readonly unknown[] =>
  listAt(queue, 'jobs').map((job) => [at(job, 'id'), at(job, 'place'), at(job, 'waits')])

describe('GET /v1/queue', () => {
  it.each<readonly [string, (server: QueueServer) => Promise<unknown>, string, RegExp]>([
    ['a pod that waits', async (server) => await server.addPod('a'), 'next', /^a pod is ready/],
    [
      'a pod that no node takes',
      async (server) => await server.addPod('a', 'unschedulable'),
      'starting',
      /pods of this pool do not start: PodScheduled is False: Unschedulable: 0\/3 nodes/,
    ],
    ['room in its pool', async () => {}, 'pod', /^a pod is being created for it$/],
    [
      'a full pool',
      async (server) => server.declare(declarePool('linux', { size: { ...SIZE, max: 0 } })),
      'full',
      /maximum of pods/,
    ],
    [
      'a cap',
      async (server) =>
        server.declare(declarePool('linux', { fairness: { ...NO_RULES, caps: new Map([['acme/app', 0]]) } })),
      'cap',
      /the cap of acme\/app is 0/,
    ],
    [
      'an open breaker of its repository',
      async ({ breakers }) => {
        for (let time = 0; time < 3; time += 1) await breakers.failed('repository/acme/app', 'GitHub answered 404')
      },
      'breaker',
      /^repository\/acme\/app keeps failing \(GitHub answered 404\): next attempt in 30 s$/,
    ],
    [
      'its back-off',
      async (server) => {
        await server.addPod('a')
        await server.claim(1, 'a')
        await server.give(1, 'a', 'claim-stale')
      },
      'backoff',
      /^it went back to the queue once: next attempt in 5 s$/,
    ],
    [
      'a person, because it is parked',
      async (server) => {
        await server.addPod('a')
        await server.park(1, 'a')
      },
      'parked',
      /^parked: it went back to the queue 10 times, the last time because its claim led to no runner; .*jobs retry 1$/,
    ],
    ['a pool that is gone', async (server) => server.declare(), 'no-pool', /no pool runners\/linux is declared/],
    ['pools that nobody sees', async (server) => server.hidePools(), 'no-pool', /the pools are not known now: unreach/],
    [
      'a pool with a mistake',
      async (server) =>
        server.declare({
          ...toDeclared(declarePool('linux')),
          reading: { kind: 'invalid', problems: [{ path: 'spec.size.max', why: 'is -1' }] },
        }),
      'no-pool',
      /has mistakes: spec\.size\.max is -1/,
    ],
    [
      'GitHub, under the scope of an organisation',
      async (server) => server.declare(declarePool('linux', { github: { scope: 'organization', repositories: [] } })),
      'pod',
      /; GitHub decides which fitting job of the organisation a runner gets$/,
    ],
  ])('says that a job waits for %s', async (_, happens, reason, why) => {
    await using server = await serveQueue()
    await server.queue(1)
    await happens(server)
    const queue = await server.get('/v1/queue')
    expect(waits(queue)).toEqual([[1, HAS_PLACE.includes(reason) ? 1 : null, reason]])
    expect(textAt(listAt(queue, 'jobs')[0], 'why')).toMatch(why)
    const shown = await server.get('/v1/jobs/1')
    expect(at(shown, 'waiting')).toMatchObject({ waits: reason, why: textAt(listAt(queue, 'jobs')[0], 'why') })
  })

  it('counts what waits for what, by pool, also beyond the limit', async () => {
    await using server = await serveQueue()
    server.declare(declarePool('linux', { size: { ...SIZE, max: 2 } }))
    for (const id of [1, 2, 3, 4]) await server.queue(id)
    await server.addPod('a')
    const queue = await server.get('/v1/queue?limit=2')
    expect(waits(queue)).toEqual([
      [1, 1, 'next'],
      [2, 2, 'pod'],
    ])
    expect(queue).toMatchObject({
      truncated: true,
      pools: [{ pool: 'runners/linux', waiting: 4, counts: { next: 1, pod: 1, full: 2, cap: 0 }, room: 1 }],
    })
  })

  it('leaves out pods that are drained, or on a node that a breaker stops', async () => {
    await using server = await serveQueue()
    await server.queue(1)
    await server.addPod('a')
    for (let time = 0; time < 3; time += 1) await server.breakers.failed('node/n1', 'no runner registers there')
    expect(waits(await server.get('/v1/queue'))).toEqual([[1, 1, 'pod']])
    await server.breakers.reset('node/n1')
    expect(waits(await server.get('/v1/queue'))).toEqual([[1, 1, 'next']])
    const pod = server.pods.pods.get('a') ?? ownPod('a')
    const labels = { ...pod.metadata.labels, 'signalbox.dev/drain': '' }
    server.pods.put({ ...pod, metadata: { ...pod.metadata, labels } })
    expect(waits(await server.get('/v1/queue'))).toEqual([[1, 1, 'pod']])
  })

  it('keeps the places among all jobs when it shows those of one repository', async () => {
    await using server = await serveQueue()
    await server.queue(1)
    await server.queue(2, { repository: 'acme/api' })
    expect(waits(await server.get('/v1/queue?repository=acme/api'))).toEqual([[2, 2, 'pod']])
    expect(waits(await server.get('/v1/queue?pool=linux'))).toHaveLength(2)
    expect(waits(await server.get('/v1/queue?pool=runners/linux'))).toHaveLength(2)
  })

  it('shows webhooks that fitted nothing, without their bodies', async () => {
    await using server = await serveQueue()
    const { deliveries } = server.store
    const body = '{"secret":"in the body"}'
    const given = { event: 'workflow_job', receivedAt: 1, job: 9, repository: 'acme/lost', body }
    await deliveries.record({ guid: 'g1', ...given })
    await deliveries.settle('g1', { at: 2, outcome: 'no-pool', why: 'no pool has all of: gpu' })
    await deliveries.record({ guid: 'g2', ...given, job: 10 })
    await deliveries.settle('g2', { at: 2, outcome: 'applied', why: null })
    const answer = await server.ask('/v1/queue')
    const text = await answer.text()
    expect(text).not.toContain('in the body')
    expect(JSON.parse(text)).toMatchObject({
      unmatched: [{ guid: 'g1', job: 9, repository: 'acme/lost', outcome: 'no-pool', why: 'no pool has all of: gpu' }],
    })
    expect(await server.get('/v1/queue?repository=acme/app')).toMatchObject({ unmatched: [] })
  })

  it('falls back to slots while the pods are not watched, and says so', async () => {
    await using server = await serveQueue()
    await server.queue(1)
    await server.addPod('a')
    server.pods.blind = { kind: 'blind', reason: { code: 'unreachable', detail: 'the watch is closed' } }
    const queue = await server.get('/v1/queue')
    expect(waits(queue)).toEqual([[1, 1, 'next']])
    expect(queue).toMatchObject({ blind: [{ source: 'pods', reason: 'unreachable: the watch is closed' }] })
  })

  it('answers 10,000 waiting jobs with a bounded list, and the counts of all', async () => {
    await using server = await serveQueue()
    for (let id = 1; id <= 10_000; id += 1) await server.queue(id, { repository: `acme/r${id % 50}` })
    const answer = await server.ask('/v1/queue?limit=1000')
    const text = await answer.text()
    expect(text.length).toBeLessThan(1_000_000)
    const queue: unknown = JSON.parse(text)
    expect(waits(queue)).toHaveLength(1000)
    expect(queue).toMatchObject({ truncated: true, pools: [{ waiting: 10_000, counts: { pod: 20, full: 9980 } }] })
    expect(listAt(await server.get('/v1/jobs?limit=1000'), 'jobs')).toHaveLength(1000)
  })

  it('is empty on a server without pools of its own', async () => {
    await using server = await serveQueue({ withoutWorld: true })
    expect(await server.get('/v1/queue')).toMatchObject({ dispatch: false, pools: [], jobs: [] })
    for (const path of ['/v1/jobs', '/v1/runners', '/v1/pools']) expect((await server.ask(path)).status).toBe(200)
  })
})

const SIZE = { warm: 0, max: 20, startTimeoutMs: 300_000, idleTimeoutMs: 1_800_000 }
const HAS_PLACE = ['next', 'starting', 'pod', 'full']

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

  it.each([
    '?state=gone',
    '?pool=nothing',
    '?limit=1001',
    '?limit=0',
    '?other=1',
    '?state=',
    '?pool=',
    '?pool=a&pool=b',
  ])('refuses %s', async (query) => {
    await using server = await serveQueue()
    expect((await server.ask(`/v1/jobs${query}`)).status).toBe(400)
  })

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
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
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
      { pod: 'linux-c', state: 'warm', life: 'scheduling', obstacle: expect.stringContaining('Insufficient cpu') },
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
