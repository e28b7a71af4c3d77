import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { LogFields } from '#/ports/log.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from './app.ts'
import { createTokenBook } from '#/server/access/token-book.ts'
import { tokensApi } from './tokens-api.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { openGuards } from '#test/server/open-guards.ts'

const NOW = Date.UTC(2026, 10, 18)
const DAY = 86_400_000

function served() {
  const { tokens: store } = memoryStore()
  const lines: [string, LogFields | undefined][] = []
  const log = { info: (message: string, fields?: LogFields) => void lines.push([message, fields]), warn: () => {} }
  const clock = { now: () => NOW }
  const book = createTokenBook({ store, files: [], clock, log })
  const handler = tokensApi({ guards: openGuards, store, book, clock, log })
  const routes = [{ path: '/v1/tokens', handler }]
  const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log: { error: () => {} }, routes })
  const ask = async (method: string, path: string, body?: string) => {
    const answer = await askChecked(app, path, { method, ...(body === undefined ? {} : { body }) })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const create = async (changes: Readonly<Record<string, unknown>> = {}) =>
    await ask('POST', '/v1/tokens', JSON.stringify({ name: 'ci', role: 'read', expiresAt: NOW + DAY, ...changes }))
  return { ask, create, lines, book, store }
}

/** Every answer below is held to the description by `askChecked`. */
describe('the API of tokens', () => {
  it('shows a token once, and stores only its digest', async () => {
    const { ask, create, book, store } = served()
    const { status, body } = await create()
    expect([status, body]).toMatchObject([201, { name: 'ci', role: 'read', createdBy: 'test', expiresAt: NOW + DAY }])
    const token = String(body['token'])
    expect(await book.find(token)).toMatchObject({ kind: 'found', state: 'valid' })
    const kept = JSON.stringify([await ask('GET', '/v1/tokens'), await store.list()])
    expect(kept).not.toContain(token.slice(4))
  })

  it('is effective at once, and logs who did it without the token', async () => {
    const { ask, create, book, lines } = served()
    const token = String((await create()).body['token'])
    expect((await ask('DELETE', '/v1/tokens/ci')).body).toEqual({ schemaVersion: 1, revoked: 'ci' })
    expect(await book.find(token)).toMatchObject({ state: 'revoked' })
    expect((await ask('DELETE', '/v1/tokens/ci')).status).toBe(404)
    expect((await create()).status).toBe(201)
    expect(lines.slice(0, 2)).toEqual([
      ['token created', { actor: 'test', name: 'ci', role: 'read', expires: '2026-11-19T00:00:00.000Z' }],
      ['token revoked', { actor: 'test', name: 'ci' }],
    ])
    expect(JSON.stringify(lines)).not.toContain('sbx_')
  })

  it('has one valid token of a name, and a bounded number of them', async () => {
    const { create } = served()
    await create()
    expect((await create()).body).toMatchObject({ status: 409, detail: 'a token named ci exists' })
    for (let index = 1; index < 500; index += 1) await create({ name: `t${index}` })
    expect((await create({ name: 'more' })).body).toMatchObject({
      status: 409,
      detail: 'there are 500 valid tokens already',
    })
  })

  it.each([
    ['what is no JSON', '{'],
    ['nothing', ''],
    ['another name', JSON.stringify({ name: 'a b', role: 'read', expiresAt: null })],
    ['another role', JSON.stringify({ name: 'a', role: 'admin', expiresAt: null })],
    ['no expiry', JSON.stringify({ name: 'a', role: 'read' })],
    ['a time that has passed', JSON.stringify({ name: 'a', role: 'read', expiresAt: NOW })],
    ['more than it knows', JSON.stringify({ name: 'a', role: 'read', expiresAt: null, digest: 'x' })],
    ['a body that is too large', JSON.stringify({ name: 'a', role: 'read', expiresAt: null, x: 'x'.repeat(5000) })],
  ])('refuses %s', async (_, body) => {
    const { ask, book } = served()
    expect((await ask('POST', '/v1/tokens', body)).status).toBe(400)
    expect(await book.list()).toEqual([])
  })

  it.each([
    ['PUT', '/v1/tokens'],
    ['GET', '/v1/tokens/ci'],
  ])('refuses %s %s', async (method, path) => {
    expect((await served().ask(method, path)).status).toBe(405)
  })
})
