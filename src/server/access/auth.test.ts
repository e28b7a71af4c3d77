import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { KnownToken } from '#/core/access/token.ts'
import type { LogFields } from '#/ports/log.ts'
import { FAILURE_LIMITS } from './auth-failures.ts'
import type { Refusal } from './auth-problems.ts'
import { createGuards } from './auth.ts'
import { callerOf } from './caller.ts'
import { isLoopback } from './local-only.ts'
import type { FoundToken } from './token-book.ts'

type Case = { readonly peer?: string | null; readonly isOpenHere?: boolean; readonly isUnixSocket?: boolean }

const known = (name: string, role: KnownToken['role']): KnownToken => ({
  name,
  role,
  digest: '',
  expiresAt: 1000,
  revokedAt: null,
})
const found = (
  name: string,
  role: KnownToken['role'],
  state: 'valid' | 'expired' | 'revoked' = 'valid',
): FoundToken => ({
  kind: 'found',
  token: known(name, role),
  state,
})
const TOKENS: Readonly<Record<string, FoundToken>> = {
  reading: found('grafana', 'read'),
  operating: found('ops', 'operate'),
  expired: found('old', 'operate', 'expired'),
  revoked: found('leaked', 'operate', 'revoked'),
  broken: { kind: 'unusable', setting: 'api.tokenFile', fault: 'it is empty' },
}

function guarded({ peer = '127.0.0.1', isOpenHere = false, isUnixSocket = false }: Case = {}) {
  const refusals: Refusal[] = []
  const lines: { level: string; message: string; fields: LogFields | undefined }[] = []
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, fields })
  let now = 0
  const guards = createGuards({
    tokens: { find: async (shown) => TOKENS[shown] ?? { kind: 'unknown' } },
    isOpenHere,
    socketUser: 'jane',
    peerAddress: () => peer,
    clock: { now: () => now },
    log: { debug: at('debug'), info: at('info'), error: at('error') },
    refused: (why) => refusals.push(why),
  })
  const app = new Hono().onError((error, c) => c.text(error.message, 500))
  app.get('/', guards.read, (c) => c.text(callerOf(c).actor))
  app.post('/', guards.operate, (c) => c.text(callerOf(c).actor))
  app.get('/unguarded', (c) => c.text(callerOf(c).actor))
  const ask = async (headers: Readonly<Record<string, string>> = {}, method = 'GET', path = '/') => {
    const init = { headers: { host: '127.0.0.1:8080', ...headers }, method }
    const answer = await app.request(`http://127.0.0.1${path}`, init, { isUnixSocket })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return { ask, refusals, lines, pass: (ms: number) => (now += ms) }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('without a token', () => {
  it.each<[string, Case, Record<string, string>]>([
    ['this machine', {}, {}],
    ['this machine by IPv6', { peer: '::1' }, { host: '[::1]:8080' }],
    ['a mesh sidecar', { peer: '127.0.0.6' }, {}],
    ['a sidecar that says localhost', { peer: '127.0.0.6' }, { host: 'localhost' }],
    ['a browser that says it is the same origin', {}, { 'sec-fetch-site': 'same-origin' }],
    ['a browser that says nobody asked', {}, { 'sec-fetch-site': 'none' }],
    ['an Origin of this machine', {}, { origin: 'http://127.0.0.1:8080' }],
    ['a forwarded address of this machine', { peer: '10.0.0.7' }, { 'x-forwarded-for': '127.0.0.1' }],
    ['another header with that address', { peer: '10.0.0.7' }, { forwarded: 'for=127.0.0.1', 'x-real-ip': '::1' }],
    ['another machine', { peer: '10.0.0.7' }, {}],
    ['one that nobody knows', { peer: null }, {}],
    ['a password', {}, { authorization: 'Basic operating' }],
  ])('%s is refused', async (_, given, headers) => {
    const { ask, refusals } = guarded(given)
    const answer = await ask(headers)
    expect([answer.status, refusals]).toEqual([401, ['no-token']])
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    expect(answer.text).toContain('signalbox token create')
  })

  it.each<[string, Case, Record<string, string>, number]>([
    ['127.0.0.1', {}, {}, 200],
    ['::1', { peer: '::1' }, { host: '[::1]:8080' }, 200],
    ['127.0.0.1 of a listener for both families', { peer: '::ffff:127.0.0.1' }, { host: 'localhost:8080' }, 200],
    ['a person who typed the address into a browser', {}, { 'sec-fetch-site': 'none' }, 200],
    ['a mesh sidecar', { peer: '127.0.0.6' }, {}, 401],
    ['a sidecar that says localhost', { peer: '127.0.0.6' }, { host: 'localhost' }, 401],
    ['another address of 127/8', { peer: '127.8.0.1' }, {}, 401],
    ['a mapped one', { peer: '::ffff:127.0.0.6' }, {}, 401],
    ['a Host of 127/8', {}, { host: '127.0.0.6:8080' }, 401],
    ['a foreign name that leads here', {}, { host: 'evil.example:8080' }, 401],
    ['a page in a browser', {}, { origin: 'http://evil.example' }, 401],
    ['a page that claims our origin', {}, { origin: 'http://127.0.0.1:8080' }, 401],
    ['a page of another site that sends no Origin', {}, { 'sec-fetch-site': 'cross-site' }, 401],
    ['a page of another port', {}, { 'sec-fetch-site': 'same-site' }, 401],
    ['a proxy', {}, { 'x-forwarded-for': '127.0.0.1' }, 401],
    ['a proxy that names only the scheme', {}, { 'x-forwarded-proto': 'https' }, 401],
    ['a proxy by the standard', {}, { forwarded: 'for=127.0.0.1' }, 401],
    ['a proxy that names itself', {}, { via: '1.1 proxy' }, 401],
    ['another machine that says all of it', { peer: '10.0.0.7' }, { host: 'localhost', 'sec-fetch-site': 'none' }, 401],
  ])('where api.openToThisMachine is on, %s gets its answer', async (_, given, headers, status) => {
    expect((await guarded({ ...given, isOpenHere: true }).ask(headers)).status).toBe(status)
  })

  it('the Unix socket admits its owner as an operator, whatever the headers say', async () => {
    const { ask } = guarded({ isUnixSocket: true, peer: null })
    expect(await ask({ host: 'evil.example', 'x-forwarded-for': '1.2.3.4' }, 'POST')).toMatchObject({
      status: 200,
      text: 'socket/jane',
    })
  })
})

describe('with a token', () => {
  it.each<[string, string, number, string]>([
    ['reading', 'GET', 200, 'token/grafana'],
    ['reading', 'POST', 403, 'token/grafana has the role read, and this needs operate'],
    ['operating', 'GET', 200, 'token/ops'],
    ['operating', 'POST', 200, 'token/ops'],
  ])('for %s: %s gets %s', async (token, method, status, text) => {
    const answer = await guarded({ peer: '10.0.0.7' }).ask(bearer(token), method)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)])
  })

  it.each([{ isOpenHere: true }, { isUnixSocket: true }])(
    'the role counts, even where none is needed: %j',
    async (way) => {
      expect((await guarded(way).ask(bearer('reading'), 'POST')).status).toBe(403)
      expect((await guarded(way).ask(bearer('wrong'))).status).toBe(401)
    },
  )

  it('that expired or was revoked: the answer says so to its holder, and to nobody else', async () => {
    const { ask, refusals } = guarded({ peer: '10.0.0.7' })
    const [expired, revoked, wrong] = [
      await ask(bearer('expired')),
      await ask(bearer('revoked')),
      await ask(bearer('x')),
    ]
    expect([expired.status, revoked.status, wrong.status]).toEqual([401, 401, 401])
    expect(expired.text).toContain('the token old expired on 1970-01-01T00:00:01.000Z')
    expect(revoked.text).toContain('the token leaked was revoked')
    expect(wrong.text).not.toMatch(/expired|revoked/)
    expect(refusals).toEqual(['expired-token', 'revoked-token', 'wrong-token'])
  })

  it('is accepted however the scheme is written', async () => {
    expect((await guarded().ask({ authorization: 'bearer reading' })).status).toBe(200)
  })

  it('is not judged while a file cannot be read, and the log says why', async () => {
    const { ask, lines } = guarded()
    expect((await ask(bearer('broken'))).status).toBe(503)
    expect(lines).toContainEqual({
      level: 'error',
      message: 'cannot check API tokens',
      fields: { setting: 'api.tokenFile', why: 'it is empty' },
    })
  })

  it('may be wrong so often a minute; the right one works all the same, and so do other addresses', async () => {
    const { ask, refusals, pass } = guarded({ peer: '10.0.0.7' })
    for (let tried = 0; tried < FAILURE_LIMITS.most; tried += 1) expect((await ask(bearer('wrong'))).status).toBe(401)
    const stopped = await ask(bearer('wrong'))
    expect([stopped.status, stopped.headers.get('retry-after')]).toEqual([429, '60'])
    expect(refusals.at(-1)).toBe('too-many-wrong-tokens')
    expect((await ask(bearer('reading'))).status).toBe(200)
    pass(FAILURE_LIMITS.withinMs)
    expect((await ask(bearer('wrong'))).status).toBe(401)
  })
})

describe('the log', () => {
  it('has who read at debug, who changed at info, and no token', async () => {
    const { ask, lines } = guarded({ peer: '10.0.0.7' })
    await ask(bearer('reading'))
    await ask(bearer('operating'), 'POST')
    await ask(bearer('not-a-known-token'), 'POST')
    const asked = { path: '/', peer: '10.0.0.7' }
    expect(lines).toEqual([
      {
        level: 'debug',
        message: 'request to read',
        fields: { actor: 'token/grafana', role: 'read', method: 'GET', ...asked, status: 200 },
      },
      {
        level: 'info',
        message: 'request to change',
        fields: { actor: 'token/ops', role: 'operate', method: 'POST', ...asked, status: 200 },
      },
      { level: 'debug', message: 'request refused', fields: { method: 'POST', ...asked, why: 'wrong-token' } },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/reading|operating|not-a-known-token/)
  })

  it('has an actor for every change: a route without a guard fails when it asks for the caller', async () => {
    const answer = await guarded().ask({}, 'GET', '/unguarded')
    expect([answer.status, answer.text]).toEqual([500, '/unguarded has no guard: declare its role'])
  })
})

it.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['10.0.0.1', false],
  ['127.0.0.1.example', false],
  ['::ffff:10.0.0.1', false],
  ['', false],
])('what is sent to %s stays on this machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected)
})
