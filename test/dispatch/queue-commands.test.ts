import { describe, expect, it } from 'vitest'
import { at, listAt } from '#/core/basics/fields.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import { until } from '#test/cluster/until.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { openGuards } from '#test/server/open-guards.ts'
import { emptyDatabase } from '#test/store/empty-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { serveQueue, toDeclared } from './queue-server.ts'
import type { QueueServer } from './queue-server.ts'

/** Job 1 executes, 2 is parked, 3 has a pod that starts, 4 to 6 wait; a webhook fitted nothing. */
async function makeBusy(server: QueueServer): Promise<void> {
  for (const id of [1, 2, 3, 4, 5, 6]) await server.queue(id, { queuedAt: server.clock.now() - 1000 * (100 - id) })
  await server.addPod('a')
  await server.addPod('b')
  await server.park(2, 'b')
  await server.claim(1, 'a')
  await server.start(1, await server.mint('a'))
  await server.addPod('c', 'unschedulable')
  const given = { event: 'workflow_job', receivedAt: server.clock.now() - 60_000, job: 9, repository: 'acme/lost' }
  await server.store.deliveries.record({ guid: 'g1', ...given, body: '{}' })
  await server.store.deliveries.settle('g1', { at: 2, outcome: 'no-pool', why: 'no pool has all of: gpu' })
}

const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length))

describe('signalbox queue', () => {
  it('shows the place of each waiting job, what it waits for, and webhooks that fitted nothing', async () => {
    await using server = await serveQueue()
    server.declare(declarePool('linux', { size: { warm: 0, max: 4, startTimeoutMs: 1, idleTimeoutMs: 1 } }))
    await makeBusy(server)
    const { code, stdout } = await server.cli('queue')
    expect(code).toBe(EXIT.ok)
    expect(stdout).toMatch(/^runners\/linux: 5 waiting; pods: 1 starting, 1 idle, 1 busy, room for 1 more\n/)
    expect(stdout).toMatch(/\n1 +3 +acme\/app +97s +a pod is ready/)
    expect(stdout).toMatch(/\n2 +4 +acme\/app +96s +a pod is starting for it; pods of this pool do not start/)
    expect(stdout).toMatch(/\n4 +6 +acme\/app +94s +the pool has its maximum/)
    expect(stdout).toMatch(/\n- +2 +acme\/app +98s +parked: /)
    expect(stdout).toMatch(/\n9 +acme\/lost +60s +no-pool +no pool has all of: gpu\n/)
    expect(widest(stdout)).toBeLessThanOrEqual(120)
    const wide = await server.cli('queue', '-o', 'wide')
    expect(wide.stdout).toContain('put it back: signalbox jobs retry 2')
    const json: unknown = JSON.parse((await server.cli('queue', '-o', 'json', '--repository', 'acme/app')).stdout)
    expect(listAt(json, 'jobs')).toHaveLength(5)
    expect(at(json, 'schemaVersion')).toBe(1)
    expect((await server.cli('queue', '-o', 'yaml')).stdout).toContain('pool: runners/linux')
  })

  it('says what GitHub decides under the scope of an organisation', async () => {
    await using server = await serveQueue()
    server.declare(declarePool('linux', { github: { scope: 'organization', repositories: [] } }))
    await server.queue(1)
    expect((await server.cli('queue')).stdout).toContain('GitHub decides who gets which')
    const wide = await server.cli('queue', '-o', 'wide')
    expect(wide.stdout).toContain('GitHub decides which fitting job of the organisation a runner gets')
  })

  it('prints again with --watch when something changes, until it is stopped', async () => {
    let asked = 0
    const counting: typeof openGuards.read = async (c, next) => {
      asked += 1
      await openGuards.read(c, next)
    }
    await using server = await serveQueue({ guards: { ...openGuards, read: counting } })
    const stop = new AbortController()
    const given = { clock: server.clock, signal: stop.signal }
    const watching = runInProcess(['queue', '--watch', '-o', 'json', '--server', server.url], given)
    /** Each question is asked after the answer to the one before it was printed. */
    const untilAsked = async (times: number): Promise<void> => {
      const wanted = asked + times
      const probe = async (): Promise<true | undefined> => {
        server.clock.advance(2000)
        return asked >= wanted || undefined
      }
      await until({ what: 'the next question', timeoutMs: 60_000, probe, explain: async () => `asked ${asked} times` })
    }
    await untilAsked(3)
    await server.queue(1)
    await untilAsked(3)
    stop.abort()
    const lines = (await watching).stdout.trim().split('\n')
    expect(lines.map((line) => listAt(JSON.parse(line), 'jobs').length)).toEqual([0, 1])
  })
})

describe('signalbox jobs', () => {
  it('lists, shows the history of one with who acted, and puts a parked one back', async () => {
    await using server = await serveQueue()
    await makeBusy(server)
    const parked = await server.cli('jobs', 'list', '--state', 'parked')
    expect(parked.stdout).toMatch(/\n2 +parked +98s +acme\/app +test 2 +runners\/linux +-\n$/)
    expect((await server.cli('jobs', 'list')).stdout.trim().split('\n')).toHaveLength(7)
    expect((await server.cli('jobs', 'retry', '2')).code).toBe(EXIT.ok)
    const again = await server.cli('jobs', 'retry', '2')
    expect([again.code, again.stderr]).toEqual([EXIT.failed, expect.stringContaining('due already')])
    const shown = await server.cli('jobs', 'show', '2')
    expect(shown.stdout).toMatch(/\nqueued; went back to the queue: 0\n/)
    expect(shown.stdout).toMatch(/announced +queued +github/)
    expect(shown.stdout).toMatch(/returned +queued +dispatch +because its claim led to no runner/)
    expect(shown.stdout).toMatch(/retried +queued +test +signalbox ledger: row \d+\n/)
    expect(widest(shown.stdout)).toBeLessThanOrEqual(120)
    expect((await server.cli('jobs', 'show', '77')).code).toBe(EXIT.failed)
    expect((await server.cli('jobs', 'show', 'x')).code).toBe(EXIT.usage)
  })
})

describe('signalbox runners and pools', () => {
  it('show pods with their jobs, and pools with their mistakes', async () => {
    await using server = await serveQueue()
    const problems = [{ path: 'spec.labels', why: 'is empty' }]
    server.declare(toDeclared(declarePool('linux')), {
      ...toDeclared(declarePool('win')),
      reading: { kind: 'invalid', problems },
    })
    await makeBusy(server)
    const runners = await server.cli('runners')
    expect(runners.stdout).toMatch(/\nlinux-a +runners\/linux +executing +0s +n1 +1 acme\/app\n/)
    const wide = await server.cli('runners', '--state', 'warm', '-o', 'wide')
    expect(wide.stdout).toContain('Insufficient cpu')
    const pools = await server.cli('pools')
    expect(pools.stdout).toMatch(/\nrunners\/linux +- +1 +1 +1 +0 +20 +4 +1 +linux\n/)
    expect(pools.stdout).toMatch(/\nrunners\/win: spec\.labels is empty\n$/)
    for (const { stdout } of [runners, pools]) expect(widest(stdout)).toBeLessThanOrEqual(120)
    expect((await server.cli('pools', '--pool', 'nothing')).code).toBe(EXIT.failed)
  })
})

describe('the commands about own pools', () => {
  it.each([['queue'], ['jobs', 'list'], ['runners'], ['pools']])('%s %s has its exit codes', async (...words) => {
    await using server = await serveQueue({ withoutWorld: true })
    expect((await server.cli(...words)).code).toBe(EXIT.ok)
    expect((await server.cli(...words, '--nonsense')).code).toBe(EXIT.usage)
    expect((await runInProcess([...words, '--server', 'http://127.0.0.1:9'])).code).toBe(EXIT.blind)
  })

  it('let no hostile name move the cursor, turn the text around or widen the tables', async () => {
    await using server = await serveQueue()
    const hostile = `\u001b[2J\u202e${'x'.repeat(300)}\r\nacme`
    const facts = { name: hostile, workflow: hostile, repository: `acme/${hostile}`, labels: [hostile] }
    await server.queue(1, facts)
    await server.queue(2, { ...facts, scope: `runners/${hostile}` })
    await server.addPod('a')
    await server.claim(1, 'a')
    for (const words of [['queue'], ['jobs', 'list'], ['jobs', 'show', '1'], ['runners'], ['pools']]) {
      for (const output of ['table', 'wide']) {
        const { code, stdout } = await server.cli(...words, '-o', output)
        expect(code).toBe(EXIT.ok)
        for (const one of ['\u001b', '\u202e', '\r']) expect(stdout).not.toContain(one)
        if (output === 'table' && words[1] !== 'show') expect([words, widest(stdout)]).toEqual([words, WITHIN])
      }
    }
  })
})

const WITHIN: unknown = expect.toSatisfy((columns: number) => columns <= 120)

describe('the queue on PostgreSQL', () => {
  it('is read as from memory: places, parked jobs, history, retry, runners', async () => {
    const { connectionString } = await testDatabase()
    const opened = openPostgresStore(connectionString)
    await emptyDatabase(opened.pool)
    try {
      await using server = await serveQueue({ store: opened.store })
      await makeBusy(server)
      const queue = await server.get('/v1/queue')
      expect(listAt(queue, 'jobs').map((job) => [at(job, 'id'), at(job, 'place'), at(job, 'waits')])).toEqual([
        [3, 1, 'next'],
        [4, 2, 'starting'],
        [5, 3, 'pod'],
        [6, 4, 'pod'],
        [2, null, 'parked'],
      ])
      expect(listAt(queue, 'unmatched')).toHaveLength(1)
      expect(listAt(await server.get('/v1/jobs?repository=acme/app&limit=2'), 'jobs')).toMatchObject([
        { id: 6 },
        { id: 5 },
      ])
      expect((await server.ask('/v1/jobs/2/retry', 'POST')).status).toBe(200)
      expect(listAt(await server.get('/v1/jobs/2'), 'history').at(-1)).toMatchObject({ event: 'retried', by: 'test' })
      expect(listAt(await server.get('/v1/runners'), 'runners')).toHaveLength(3)
    } finally {
      await opened.close()
    }
  })
})
