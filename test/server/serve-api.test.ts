import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { checkAnswer } from './checked-api.ts'
import { parseExposition } from './exposition.ts'

const TOKEN = 'a-token-of-more-than-24-characters'
const { connectionString } = await testDatabase()

/** A non-loopback address of this machine; without one, a request that came through a proxy. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address
const far = outside === undefined ? { 'x-forwarded-for': '10.0.0.7' } : {}

let folder: string
let tokenFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-api-'))
  tokenFile = join(folder, 'token')
  await writeFile(tokenFile, TOKEN)
})
afterAll(() => rm(folder, { recursive: true }))

async function served<T>(args: readonly string[], use: (serve: ServeProcess, port: string) => Promise<T>): Promise<T> {
  const serve = await startServe(['--listen', '0.0.0.0:0', ...args], connectionString)
  try {
    return await use(serve, new URL(serve.url).port)
  } finally {
    await serve.stop('SIGTERM')
  }
}

/** The line about listening comes before the other lines of the start. */
const says = (serve: ServeProcess, words: RegExp): Promise<void> =>
  vi.waitFor(() => expect(serve.said()).toMatch(words), 30_000)

const ask = async (
  port: string,
  path: string,
  { host = '127.0.0.1', ...init }: RequestInit & { host?: string } = {},
) => {
  const answer = await fetch(`http://${host}:${port}${path}`, init)
  await checkAnswer({ method: init.method ?? 'GET', path }, answer.clone())
  return answer
}
const beyond = (headers: Readonly<Record<string, string>> = {}) => ({
  host: outside ?? '127.0.0.1',
  headers: { ...far, ...headers },
})

describe('signalbox serve on all addresses', () => {
  it('without a token shows deaths only to this machine, logs that at the start, and serves the rest', async () => {
    await served([], async (serve, port) => {
      await says(serve, /api +readable by this machine only: no token is configured \(api\.tokenFile/)
      expect((await ask(port, '/v1/deaths')).status).toBe(200)
      const refused = await ask(port, '/v1/deaths', beyond())
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('api.tokenFile')])
      expect((await ask(port, '/v1/openapi.json', beyond())).status).toBe(403)
      expect((await ask(port, '/v1/version', beyond())).status).toBe(200)
      const metrics = await fetch(`http://${outside ?? '127.0.0.1'}:${port}/metrics`)
      const families = parseExposition(await metrics.text())
      expect(families.get('signalbox_api_refusals_total')?.samples).toMatchObject([
        { labels: { reason: 'beyond-this-machine' }, value: 2 },
      ])
    })
  })

  it('with a token answers requests that carry it, and reads a new one from the file', async () => {
    await served(['--api-token-file', tokenFile, '--audit-token-file', tokenFile], async (serve, port) => {
      await says(serve, /api +readable by this machine, and whoever has the token; it travels in plain/)
      const bearer = (token: string) => beyond({ authorization: `Bearer ${token}` })
      expect((await ask(port, '/v1/deaths', beyond())).status).toBe(401)
      expect((await ask(port, '/v1/deaths', bearer(TOKEN))).status).toBe(200)
      await writeFile(tokenFile, `${TOKEN}-2`)
      expect((await ask(port, '/v1/deaths', bearer(TOKEN))).status).toBe(401)
      expect((await ask(port, '/v1/deaths', bearer(`${TOKEN}-2`))).status).toBe(200)
      const list = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [] })
      const sending = { ...bearer(`${TOKEN}-2`), method: 'POST', body: list }
      // Nothing is watched here, so these are not served.
      expect((await ask(port, '/v1/audit', sending)).status).toBe(503)
      expect((await ask(port, '/v1/audit', { ...sending, headers: {} })).status).toBe(401)
      await writeFile(tokenFile, 'short')
      expect((await ask(port, '/v1/deaths', bearer(`${TOKEN}-2`))).status).toBe(503)
      expect((await ask(port, '/v1/deaths')).status).toBe(200)
      await says(serve, /shorter than 24/)
      expect(serve.said()).not.toContain(TOKEN)
    })
  })

  it('does not start with a weak token', async () => {
    await writeFile(tokenFile, 'short')
    const ran = await runInProcess(['serve', '--api-token-file', tokenFile], {
      env: { DATABASE_URL: connectionString },
    })
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('shorter than 24 characters')])
  })
})
