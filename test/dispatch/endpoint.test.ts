import { afterAll, expect, it } from 'vitest'
import { until } from '#test/cluster/until.ts'
import { getJob, getSlot, queued, recordAll } from '#test/contracts/store-builders.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { askAt } from './dispatch-server.ts'
import { SCOPE } from './own-pods.ts'
import { reachableWorld } from './reachable-world.ts'

const { connectionString } = await testDatabase()
const opened = openPostgresStore(connectionString)
afterAll(opened.close)
const { world, putPods, start } = reachableWorld(connectionString)
const server = await start()
const { assignments } = opened.store
const WITHIN = { timeoutMs: 60_000 }
const JOB = { scope: SCOPE, repository: 'acme/app' }

/** The pod is in the waiting room. */
async function waits(uid: string): Promise<void> {
  const probe = async () => ((await assignments.slot(uid))?.state === 'warm' ? true : undefined)
  await until({ what: `${uid} to wait`, ...WITHIN, probe })
}

/** So many pods wait, as the server shows it. */
async function shown(waiting: number): Promise<void> {
  const probe = async () =>
    Number(/signalbox_dispatch_waiting\{.*\} (\d+)/u.exec(server.exposed())?.[1] ?? 0) === waiting || undefined
  await until({ what: `${waiting} to wait`, ...WITHIN, probe })
}

it('a pod that waits gets the job that is queued, and nothing keeps the answer', async () => {
  putPods('a')
  const asking = askAt(server.url, 'a')
  await waits('a')
  await recordAll(opened.store, queued(1, JOB))
  const { status, body, headers } = await asking
  expect(status).toBe(200)
  expect(body).toEqual({
    slot: 'a',
    runner: { id: 1, name: expect.stringMatching(/^linux-a-[0-9a-f]{8}$/u) as string },
    jit: `jit-${body.runner?.name ?? ''}`,
  })
  expect(headers.get('cache-control')).toBe('no-store')
  expect(await getSlot(assignments, 'a')).toMatchObject({ state: 'minted', runner: body.runner })
})

it('a pod hears that there is nothing, without a body', async () => {
  putPods('b')
  expect(await askAt(server.url, 'b', 0)).toMatchObject({ status: 204, body: {} })
})

it('a refusal is a problem with a reason', async () => {
  putPods('a')
  const { status, body, headers } = await askAt(server.url, 'a')
  expect([status, headers.get('content-type'), body.reason]).toEqual([410, 'application/problem+json', 'committed'])
  const stranger = await askAt(server.url, 'nobody')
  expect([stranger.status, stranger.body.reason, stranger.headers.get('www-authenticate')]).toEqual([
    401,
    'token-invalid',
    'Bearer',
  ])
})

it('a pod without a token, with a wrong question or a large body, or by GET, gets a clear status', async () => {
  const path = `${server.url}/v1/dispatch`
  const post = async (search: string, init: RequestInit = {}) =>
    (await fetch(`${path}${search}`, { method: 'POST', ...init })).status
  expect(await post('')).toBe(401)
  expect(await post('?wait=26')).toBe(400)
  expect(await post('?wait=x')).toBe(400)
  expect(await post('?weight=1')).toBe(400)
  expect(await post('', { body: 'x'.repeat(2000) })).toBe(413)
  const chunked = new Blob(['x'.repeat(2000)]).stream()
  expect(await post('', { body: chunked, duplex: 'half' })).toBe(413)
  expect((await fetch(path)).status).toBe(405)
})

it('a pod whose mint failed hears when to ask again', async () => {
  putPods('c')
  world.onMint = async () => ({ kind: 'blind', reason: { code: 'server-error', detail: 'x' } })
  await recordAll(opened.store, queued(2, JOB))
  const { status, body, headers } = await askAt(server.url, 'c')
  world.onMint = async () => null
  expect([status, body.reason]).toEqual([503, 'github-unavailable'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await getJob(assignments, 2)).toMatchObject({ state: 'queued', recoveries: 1 })
})

it('a pod that hung up is not given a job', async () => {
  putPods('d', 'e')
  const hungUp = new AbortController()
  const left = askAt(server.url, 'd', 25, hungUp.signal).catch(() => 'hung up')
  await shown(1)
  hungUp.abort()
  expect(await left).toBe('hung up')
  await shown(0)
  await recordAll(opened.store, queued(3, JOB))
  expect(await askAt(server.url, 'e')).toMatchObject({ status: 200, body: { slot: 'e' } })
  expect(await getSlot(assignments, 'd')).toMatchObject({ state: 'warm' })
})

it('each answer is counted by its reason, and the pickup is measured', async () => {
  const probe = async () =>
    /signalbox_pickup_seconds_count\{pool="runners\/linux"\} 2/u.exec(server.exposed()) ?? undefined
  await until({ what: 'the pickup', ...WITHIN, probe })
  const counted = Object.fromEntries(
    [...server.exposed().matchAll(/^signalbox_dispatch_responses_total\{reason="(.+)"\} (\d+)$/gmu)].map(
      ([, reason = '', count]) => [reason, Number(count)],
    ),
  )
  expect(counted).toEqual({
    job: 2,
    'no-job': 1,
    'token-invalid': 2,
    'pod-gone': 0,
    drained: 0,
    'stale-template': 0,
    committed: 1,
    busy: 0,
    'breaker-open': 0,
    'github-unavailable': 1,
    'store-unavailable': 0,
    'cluster-unavailable': 0,
  })
})

it('a server that stops lets the pods that wait go, to ask another', async () => {
  const other = await start()
  putPods('f')
  const asking = askAt(other.url, 'f')
  await waits('f')
  await other.stop()
  expect(await asking).toMatchObject({ status: 204 })
})
