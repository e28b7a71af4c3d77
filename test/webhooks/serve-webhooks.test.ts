import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { inProgress, jobPayload, SECRET, sign, toRequest } from './webhook-world.ts'
import type { Sent } from './webhook-world.ts'

const { connectionString } = await testDatabase()
const { pool, close } = openPostgresStore(connectionString)
afterAll(close)

const WAIT = { timeout: 60_000, interval: 100 }
let folder: string
let secretFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-webhooks-'))
  secretFile = join(folder, 'secret')
  // As during a rotation: the new one, then the old one.
  await writeFile(secretFile, `the new one\n${SECRET}\n`)
})
afterAll(async () => await rm(folder, { recursive: true }))

async function start(): Promise<ServeProcess> {
  const env = { SIGNALBOX_GITHUB_WEBHOOK_SECRET_FILE: secretFile, SIGNALBOX_GITHUB_OWNERS: 'acme' }
  return await startServe(['--data', folder], connectionString, env)
}

async function post({ url }: ServeProcess, sent: Sent): Promise<Response> {
  return await fetch(`${url}/webhooks/github`, toRequest(sent))
}

/** By outcome; what is not settled counts as `null`. */
async function stored(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await pool.query<{ outcome: string | null; count: string }>(
    'select outcome, count(*) from deliveries group by outcome',
  )
  return Object.fromEntries(rows.map(({ outcome, count }) => [String(outcome), Number(count)]))
}

const metric = async ({ url }: ServeProcess, outcome: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const [, value] = new RegExp(`^signalbox_webhooks_total\\{outcome="${outcome}"\\} (\\d+)$`, 'mu').exec(text) ?? []
  return Number(value)
}

describe('serve with the secret of a webhook', () => {
  it('takes, stores and judges deliveries, and refuses the others', { timeout: 240_000 }, async () => {
    await pool.query('truncate deliveries')
    const serve = await start()
    try {
      const accepted = await post(serve, { payload: jobPayload({}), guid: 'first' })
      expect([accepted.status, await accepted.json()]).toEqual([
        202,
        { schemaVersion: 1, delivery: 'first', stored: 'new' },
      ])
      await post(serve, { payload: jobPayload(inProgress({ id: 2 })) })
      const payload = jobPayload({ id: 3 })
      const bySecret = { 'x-hub-signature-256': sign(JSON.stringify(payload), 'the new one') }
      expect((await post(serve, { payload, headers: bySecret })).status).toBe(202)
      const forged = { 'x-hub-signature-256': sign('{}', 'forged') }
      expect((await post(serve, { payload, headers: forged })).status).toBe(401)
      expect((await post(serve, { payload: '{' })).status).toBe(400)
      await expect.poll(stored, WAIT).toEqual({ 'no-pool': 2, 'unknown-runner': 1 })
      await expect.poll(async () => await metric(serve, 'no-pool'), WAIT).toBe(2)
      expect(await Promise.all(['bad-signature', 'malformed', 'applied'].map((one) => metric(serve, one)))).toEqual([
        1, 1, 0,
      ])
      expect([413, null]).toContain(await sendLarge(serve, 30 * 1024 * 1024))
      expect(await sendLarge(serve, 24 * 1024 * 1024)).toBe(401)
      expect([await metric(serve, 'too-large'), await metric(serve, 'bad-signature')]).toEqual([1, 2])
      expect(await stored()).toEqual({ 'no-pool': 2, 'unknown-runner': 1 })
      expect(serve.said()).not.toContain(SECRET)
    } finally {
      await serve.stop('SIGTERM')
    }
  })

  it('loses nothing that it accepted when it is killed', { timeout: 240_000 }, async () => {
    await pool.query('truncate deliveries')
    const killed = await start()
    const accepted: string[] = []
    const sending = Array.from({ length: 8 }, async (_, lane) => {
      for (let nth = 0; nth < 500; nth += 1) {
        const guid = `${lane}-${nth}`
        const answer = await post(killed, { payload: jobPayload({ id: 1 + lane * 1000 + nth }), guid }).catch(
          () => null,
        )
        if (answer === null) return
        if (answer.status === 202) accepted.push(guid)
        if (accepted.length === 300) await killed.stop('SIGKILL')
      }
    })
    await Promise.all(sending)
    expect(accepted.length).toBeGreaterThanOrEqual(300)
    const next = await start()
    try {
      await expect.poll(async () => (await stored())['null'] ?? 0, { ...WAIT, timeout: 120_000 }).toBe(0)
      const { rows } = await pool.query<{ guid: string }>(`select guid from deliveries where outcome = 'no-pool'`)
      const settled = new Set(rows.map(({ guid }) => guid))
      expect(accepted.filter((guid) => !settled.has(guid))).toEqual([])
    } finally {
      await next.stop('SIGTERM')
    }
  })
})

/** In chunks and without a length, as a stranger would. Null: cut off in the middle, before it could read the answer. */
async function sendLarge({ url }: ServeProcess, bytes: number): Promise<number | null> {
  const { headers } = toRequest({ payload: '{}' })
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const body = Readable.from(Array.from({ length: bytes / chunk.length }, () => chunk))
  try {
    const { statusCode, body: answer } = await request(`${url}/webhooks/github`, { method: 'POST', headers, body })
    await answer.dump()
    return statusCode
  } catch {
    return null
  }
}
