import { describe, expect, it } from 'vitest'
import { at, listAt, textAt } from '#/core/basics/fields.ts'
import { NO_RULES } from '#/core/dispatch/fairness.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
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
