import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServe, TOKEN_NEEDED } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { checkAnswer } from './checked-api.ts'
import { parseExposition } from './exposition.ts'
import { forwardFrom } from './forwarder.ts'

const TOKEN = 'a-token-of-more-than-24-characters'
const SIDECAR = '127.0.0.6'
const { connectionString } = await testDatabase()

/** A non-loopback address of this machine; this machine itself where there is none. */
const outside =
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address ?? '127.0.0.1'

let folder: string
let tokenFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-api-'))
  tokenFile = join(folder, 'token')
})
afterAll(() => rm(folder, { recursive: true }))

type Use<T> = (serve: ServeProcess, port: number) => Promise<T>

async function served<T>(args: readonly string[], env: Readonly<Record<string, string>>, use: Use<T>): Promise<T> {
  const serve = await startServe(['--listen', '0.0.0.0:0', ...args], connectionString, env)
  try {
    return await use(serve, Number(new URL(serve.url).port))
  } finally {
    await serve.stop('SIGTERM')
  }
}

/** The line about listening comes before the other lines of the start. */
const says = (serve: ServeProcess, words: RegExp): Promise<void> =>
  vi.waitFor(() => expect(serve.said()).toMatch(words), 60_000)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

type Asked = RequestInit & { readonly host?: string }

async function ask(port: number, path: string, { host = '127.0.0.1', ...init }: Asked = {}): Promise<Response> {
  const answer = await fetch(`http://${host}:${port}${path}`, init)
  await checkAnswer({ method: init.method ?? 'GET', path }, answer.clone())
  return answer
}

/** With headers that `fetch` would not send. */
async function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { statusCode, body } = await request(`${url}/v1/deaths`, { headers })
  await body.dump()
  return statusCode
}

/** Everything that a forwarder or a web page could say to look like this machine. */
const TRICKS: readonly Readonly<Record<string, string>>[] = [
  {},
  { host: 'localhost' },
  { host: '127.0.0.1:8080' },
  { host: '[::1]' },
  { origin: 'http://127.0.0.1' },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none', host: 'localhost' },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-forwarded-host': 'localhost', 'x-real-ip': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1;host=localhost' },
]

const signalbox = async (serve: ServeProcess, ...args: readonly string[]) =>
  await runInProcess([...args, '--server', `unix:${serve.socket}`])

async function createToken(serve: ServeProcess, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await signalbox(serve, 'token', 'create', ...args)
  expect([code, stderr]).toEqual([0, expect.stringContaining('It is not shown again')])
  return stdout.trim()
}

describe('signalbox serve', () => {
  it('needs a token from everybody who comes by TCP, whatever they say about themselves', async () => {
    await served([], TOKEN_NEEDED, async (serve, port) => {
      await says(
        serve,
        /api +readable by holders of a token \(signalbox token create\), this user on \S+api\.sock; tokens/,
      )
      await using sidecar = await forwardFrom(SIDECAR, port)
      for (const headers of TRICKS) {
        const here = await statusOf(`http://127.0.0.1:${port}`, headers)
        const forwarded = await statusOf(sidecar.url, headers)
        expect([headers, here, forwarded]).toEqual([headers, 401, 401])
      }
      const refused = await ask(port, '/v1/deaths', { host: outside })
      expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining('signalbox token create')])
      for (const path of ['/v1/openapi.json', '/v1/ledger', '/v1/tokens', '/v1/deaths/x', '/v1/deaths/x/evidence']) {
        expect([path, (await ask(port, path)).status]).toEqual([path, 401])
      }
      for (const path of ['/livez', '/readyz', '/metrics', '/v1/version', '/v1/deaths', '/nowhere']) {
        const { headers } = await fetch(`http://127.0.0.1:${port}${path}`)
        expect([path, headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual([
          path,
          'nosniff',
          'no-store',
        ])
      }
      const metrics = await fetch(`http://${outside}:${port}/metrics`)
      expect(parseExposition(await metrics.text()).get('signalbox_api_refusals_total')?.samples).toMatchObject([
        { labels: { reason: 'no-token' } },
      ])
    })
  })

  it('open to this machine admits 127.0.0.1, and still not a forwarder from another address', async () => {
    await served(['--open-to-this-machine'], TOKEN_NEEDED, async (serve, port) => {
      await says(serve, /api\.openToThisMachine is on: every process on this machine/)
      expect(serve.said().match(/openToThisMachine is on/g)).toHaveLength(1)
      expect((await ask(port, '/v1/deaths')).status).toBe(200)
      expect((await ask(port, '/v1/deaths', { headers: { origin: 'http://evil.example' } })).status).toBe(401)
      expect(await statusOf(`http://127.0.0.1:${port}`, { host: 'evil.example' })).toBe(401)
      await using sidecar = await forwardFrom(SIDECAR, port)
      for (const headers of TRICKS) expect([headers, await statusOf(sidecar.url, headers)]).toEqual([headers, 401])
    })
  })

  it('creates, lists and revokes tokens; a role permits what it says; the log has names and no token', async () => {
    await served([], { ...TOKEN_NEEDED, SIGNALBOX_LOG_LEVEL: 'debug' }, async (serve, port) => {
      const reading = await createToken(serve, 'grafana', '--role', 'read', '--expires', '90d')
      const operating = await createToken(serve, 'ops', '--role', 'operate', '--expires', 'never')
      expect(reading).toMatch(/^sbx_[0-9a-f]{56}$/)
      const deaths = async (token: string) => (await ask(port, '/v1/deaths', { headers: bearer(token) })).status
      const rejudge = async (token: string) =>
        await ask(port, '/v1/deaths/rejudge?apply=true', { method: 'POST', headers: bearer(token) })
      expect([await deaths(reading), await deaths(operating), (await rejudge(operating)).status]).toEqual([
        200, 200, 200,
      ])
      const forbidden = await rejudge(reading)
      expect([forbidden.status, await forbidden.text()]).toEqual([403, expect.stringContaining('this needs operate')])
      expect((await ask(port, '/v1/ledger', { headers: bearer(reading) })).status).toBe(200)
      expect((await ask(port, '/v1/tokens', { headers: bearer(reading) })).status).toBe(403)
      const file = join(folder, 'ops')
      await writeFile(file, operating)
      const remote = ['--server', `http://127.0.0.1:${port}`, '--token-file', file]
      const listed = await runInProcess(['token', 'list', '-o', 'json', ...remote])
      expect(JSON.parse(listed.stdout)).toMatchObject({
        tokens: [
          { name: 'grafana', role: 'read', state: 'valid', lastUsedAt: expect.any(Number) as number },
          {
            name: 'ops',
            role: 'operate',
            state: 'valid',
            expiresAt: null,
            createdBy: expect.stringMatching(/^socket\//) as string,
          },
        ],
      })
      expect((await runInProcess(['token', 'list', ...remote])).stdout).toMatch(
        /^grafana +read +valid +\S+Z +\S+Z +\S+Z +store$/m,
      )
      const taken = await runInProcess(['token', 'create', 'grafana', ...remote])
      expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('a token named grafana exists')])
      expect((await runInProcess(['token', 'revoke', 'grafana', ...remote])).code).toBe(0)
      const revoked = await ask(port, '/v1/deaths', { headers: bearer(reading) })
      expect([revoked.status, await revoked.text()]).toEqual([
        401,
        expect.stringContaining('the token grafana was revoked'),
      ])
      const unknown = await runInProcess(['token', 'revoke', 'grafana', ...remote])
      expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no token with this name')])
      await says(serve, /info +token revoked actor=token\/ops name=grafana/)
      await says(serve, /info +verdicts changed actor=token\/ops judged=0 changed=0/)
      await says(
        serve,
        /debug +request to read actor=token\/grafana role=read method=GET path=\/v1\/deaths peer=127\.0\.0\.1 status=200/,
      )
      expect(serve.said()).not.toMatch(/sbx_|Bearer/)
    })
  })

  it('with files of tokens answers who has one, refuses an expired one, and reads them again when they change', async () => {
    await writeFile(tokenFile, TOKEN)
    const lines = async (...changes: readonly string[]) => {
      const made = await runInProcess(['token', 'create', 'ci', '--offline', '-o', 'json', ...changes])
      return JSON.parse(made.stdout) as { readonly token: string; readonly line: string }
    }
    const valid = await lines('--role', 'read')
    const expired = await lines('--expires', '1ms')
    const tokensFile = join(folder, 'tokens')
    await writeFile(tokensFile, `${valid.line}\n${expired.line.replace('ci', 'old')}\n`)
    const env = { ...TOKEN_NEEDED, SIGNALBOX_API_TOKENS_FILE: tokensFile }
    await served(['--api-token-file', tokenFile, '--audit-token-file', tokenFile], env, async (serve, port) => {
      const asked = async (token: string) => await ask(port, '/v1/deaths', { host: outside, headers: bearer(token) })
      expect([(await asked(TOKEN)).status, (await asked(valid.token)).status]).toEqual([200, 200])
      const late = await asked(expired.token)
      expect([late.status, await late.text()]).toEqual([401, expect.stringContaining('the token old expired on')])
      await writeFile(tokenFile, `${TOKEN}-2`)
      expect((await asked(TOKEN)).status).toBe(401)
      expect((await asked(`${TOKEN}-2`)).status).toBe(200)
      const list = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [] })
      const sending = { headers: bearer(`${TOKEN}-2`), method: 'POST', body: list }
      // Nothing is watched here, so these are not served.
      expect((await ask(port, '/v1/audit', sending)).status).toBe(503)
      expect((await ask(port, '/v1/audit', { ...sending, headers: {} })).status).toBe(401)
      expect((await ask(port, '/v1/audit', { ...sending, headers: bearer(valid.token) })).status).toBe(401)
      await writeFile(tokenFile, 'short')
      expect((await asked(`${TOKEN}-2`)).status).toBe(503)
      expect((await asked(valid.token)).status).toBe(200)
      await says(serve, /shorter than 24/)
      expect(serve.said()).not.toContain(TOKEN)
    })
  })

  it.each([
    ['--api-token-file', 'short', 'shorter than 24 characters'],
    ['--audit-token-file', 'short', 'shorter than 24 characters'],
  ])('does not start with a weak token: %s', async (flag, content, message) => {
    await writeFile(tokenFile, content)
    const ran = await runInProcess(['serve', flag, tokenFile], { env: { DATABASE_URL: connectionString } })
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('the socket of signalbox serve', () => {
  it('is found by commands in the data folder, is for its user only, and is gone with the server', async () => {
    const data = await mkdtemp(join(tmpdir(), 'signalbox-data-'))
    await chmod(data, 0o755)
    const socket = join(data, 'api.sock')
    const here = { env: { SIGNALBOX_DATA: data, SIGNALBOX_LISTEN: '127.0.0.1:9' } }
    const open = { ...TOKEN_NEEDED, SIGNALBOX_API_SOCKET: '', SIGNALBOX_DATA: data }
    await served([], open, async (serve) => {
      expect(((await stat(socket)).mode & 0o777).toString(8)).toBe('600')
      const listed = await runInProcess(['deaths', '-o', 'json'], here)
      expect([listed.code, JSON.parse(listed.stdout)]).toMatchObject([0, { deaths: [] }])
      expect((await runInProcess(['rejudge', '--apply'], here)).code).toBe(0)
      await says(serve, /info +verdicts changed actor=socket\//)
    })
    await expect(stat(socket)).rejects.toThrow('ENOENT')
    const after = await runInProcess(['deaths'], here)
    expect([after.code, after.stderr]).toEqual([3, expect.stringContaining('no server answers at http://127.0.0.1:9')])
    await rm(data, { recursive: true })
  })

  it('of a serve that was killed is replaced by the next', async () => {
    const socket = join(folder, 'killed.sock')
    const env = { ...TOKEN_NEEDED, SIGNALBOX_API_SOCKET: socket }
    const killed = await startServe([], connectionString, env)
    await killed.stop('SIGKILL')
    expect((await stat(socket)).isSocket()).toBe(true)
    const dead = await runInProcess(['deaths', '--server', `unix:${socket}`])
    expect([dead.code, dead.stderr]).toEqual([3, expect.stringContaining(`no server answers at unix:${socket}`)])
    await served([], env, async (serve) => {
      expect(serve.said()).not.toContain('no Unix socket')
      expect((await signalbox(serve, 'deaths')).code).toBe(0)
    })
  })

  it('at a path that is too long stops a start that asked for it, with advice', async () => {
    const socket = join(folder, 'x'.repeat(120))
    const env = { DATABASE_URL: connectionString, SIGNALBOX_API_SOCKET: socket, SIGNALBOX_LISTEN: '127.0.0.1:0' }
    const ran = await runInProcess(['serve'], { env })
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('set api.socket to a shorter path')])
  })

  it('at a default path that is too long costs only the socket, with advice', async () => {
    const env = { ...TOKEN_NEEDED, SIGNALBOX_API_SOCKET: '', SIGNALBOX_DATA: join(folder, 'x'.repeat(120)) }
    await served([], env, async (serve, port) => {
      await says(serve, /warn +there is no Unix socket.*set api\.socket to a shorter path/)
      expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200)
    })
  })
})
