import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { BearerToken } from '#/ports/bearer-token.ts'
import { FAILURE_LIMITS } from '#/server/auth-failures.ts'
import { guard } from '#/server/auth.ts'
import type { Refusal } from '#/server/auth.ts'
import { isLoopback } from '#/server/local-only.ts'

const TOKEN: BearerToken = {
  judge: async (given) => (given === 'right' ? 'right' : given === 'broken' ? 'unusable' : 'wrong'),
  fault: async () => null,
}

type Case = {
  readonly peer?: string | null
  readonly token?: BearerToken | null
  readonly opensToThisMachine?: boolean
}

function guarded({ peer = '127.0.0.1', token = null, opensToThisMachine = true }: Case = {}) {
  const refusals: Refusal[] = []
  let now = 0
  const app = new Hono()
  app.use(
    '*',
    guard({
      token,
      opensToThisMachine,
      setting: 'api.tokenFile',
      peerAddress: () => peer,
      clock: { now: () => now },
      refused: (why) => refusals.push(why),
    }),
  )
  app.get('/', (c) => c.text('in'))
  const ask = async (headers: Readonly<Record<string, string>> = {}) => {
    const answer = await app.request('http://127.0.0.1/', { headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return { ask, refusals, pass: (ms: number) => (now += ms) }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('who is let in', () => {
  it.each<[string, Case, Record<string, string>, number]>([
    ['this machine without a token', {}, {}, 200],
    ['this machine without a token where there is one', { token: TOKEN }, {}, 200],
    ['this machine with the token', { token: TOKEN }, bearer('right'), 200],
    ['this machine with a wrong token', { token: TOKEN }, bearer('wrong'), 401],
    ['this machine with a token that nobody configured', {}, bearer('any'), 200],
    ['this machine by its name', {}, { host: 'localhost:8080' }, 200],
    ['a page in a browser', {}, { origin: 'http://evil.example' }, 403],
    ['a foreign name that leads here', {}, { host: 'evil.example:8080' }, 403],
    ['a proxy on this machine', {}, { 'x-forwarded-for': '10.0.0.7' }, 403],
    ['a proxy on this machine with the token', { token: TOKEN }, { 'x-real-ip': '10.0.0.7', ...bearer('right') }, 200],
    ['another machine', { peer: '10.0.0.7' }, {}, 403],
    ['one that nobody knows', { peer: null }, {}, 403],
    ['another machine without the token', { peer: '10.0.0.7', token: TOKEN }, {}, 401],
    ['another machine with the token', { peer: '10.0.0.7', token: TOKEN }, bearer('right'), 200],
    [
      'another machine, whatever the scheme is written like',
      { peer: '::2', token: TOKEN },
      { authorization: 'bearer right' },
      200,
    ],
    ['another machine with a wrong one', { peer: '10.0.0.7', token: TOKEN }, bearer('wrong'), 401],
    ['another machine with a password', { peer: '10.0.0.7', token: TOKEN }, { authorization: 'Basic right' }, 401],
    ['another machine while the file is broken', { peer: '10.0.0.7', token: TOKEN }, bearer('broken'), 503],
    ['this machine where a token is always wanted', { token: TOKEN, opensToThisMachine: false }, {}, 401],
    ['this machine where a token is wanted and there is none', { opensToThisMachine: false }, {}, 403],
  ])('%s', async (_, given, headers, status) => {
    expect((await guarded(given).ask(headers)).status).toBe(status)
  })

  it('gets what to configure, and never the token', async () => {
    const closed = await guarded({ peer: '10.0.0.7' }).ask(bearer('mine'))
    expect(closed.text).toContain('set api.tokenFile')
    expect(closed.text).toContain('127.0.0.1')
    const wrong = await guarded({ peer: '10.0.0.7', token: TOKEN }).ask(bearer('mine'))
    expect(wrong.headers.get('www-authenticate')).toContain('Bearer')
    expect(`${closed.text}${wrong.text}`).not.toContain('mine')
    const nameless = await guarded({ peer: '10.0.0.7', token: TOKEN }).ask()
    const broken = await guarded({ peer: '10.0.0.7', token: TOKEN }).ask(bearer('broken'))
    for (const { text } of [closed, wrong, nameless, broken]) {
      expect(text).toContain('api.tokenFile')
      expect(text).toContain('api.existingSecret')
    }
  })

  it('may show so many wrong tokens a minute, and the right one all the same: others may be behind its address', async () => {
    const { ask, refusals, pass } = guarded({ peer: '10.0.0.7', token: TOKEN })
    for (let tried = 0; tried < FAILURE_LIMITS.most; tried += 1) expect((await ask(bearer('wrong'))).status).toBe(401)
    const stopped = await ask(bearer('wrong'))
    expect([stopped.status, stopped.headers.get('retry-after')]).toEqual([429, '60'])
    expect(refusals.at(-1)).toBe('too-many-wrong-tokens')
    expect((await ask(bearer('right'))).status).toBe(200)
    pass(FAILURE_LIMITS.withinMs)
    expect((await ask(bearer('wrong'))).status).toBe(401)
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
  ])('takes %s for this machine: %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected)
  })
})
