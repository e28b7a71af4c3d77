import { Hono } from 'hono'
import type { MiddlewareHandler } from 'hono'
import { beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Reply, Server } from '#/cli/api-client/ask-server.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { setCaller } from '#/server/caller.ts'
import { ledgerApi } from '#/server/ledger/ledger.ts'
import { endAs, newAttempt, refusedAttempt, rowIn, takeStep } from '#test/contracts/ledger-builders.ts'
import { ledgerContract } from '#test/contracts/store-ledger.ts'
import { admitAll } from '#test/server/open-guards.ts'
import { remoteLedger } from './remote-ledger.ts'

/** What becomes of the next requests; afterwards all is well. */
type Fate = 'lost before' | 'lost after' | 'busy'

let stored: Ledger
let fates: Fate[]
let app: Hono
beforeEach(() => {
  stored = memoryStore().ledger
  fates = []
  const guard: MiddlewareHandler = async (c, next) => {
    const actor = decodeURIComponent(c.req.header('x-actor') ?? '')
    setCaller(c, { actor, role: 'operate', peer: null })
    await next()
  }
  const given = { guards: { read: guard, operate: guard }, writes: stored, clock: { now: () => 0 }, admit: admitAll }
  app = new Hono().route('/v1/ledger', ledgerApi({ ...given, ledger: stored }))
})

function serverFor(actor: string): Server {
  const ask: Server['ask'] = async ({ path, query = {}, method = 'GET', body }): Promise<Reply> => {
    const fate = method === 'POST' ? fates.shift() : undefined
    if (fate === 'lost before') return { kind: 'silent', why: 'unreachable: lost' }
    if (fate === 'busy') return { kind: 'refused', status: 503, why: 'deaths come first', advice: [] }
    const url = new URL(`http://127.0.0.1${path}`)
    for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value)
    const headers = { 'x-actor': encodeURIComponent(actor) }
    const answer = await app.request(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (fate === 'lost after') return { kind: 'silent', why: 'unreachable: lost' }
    const text = await answer.text()
    if (answer.status === 200) return { kind: 'answered', body: Buffer.from(text), answeredAt: 0 }
    return { kind: 'refused', status: answer.status, why: text, advice: [] }
  }
  return { url: 'http://server', isNamed: true, ask, [Symbol.asyncDispose]: async () => undefined }
}

const clock = { sleep: async () => undefined }
const { signal } = new AbortController()
const ledgerAs = (actor: string): Ledger => remoteLedger({ server: serverFor(actor), clock, signal, actor })

/** The server writes who asks, so that each write comes from whom it names. */
const ledger: Ledger = {
  begin: async (attempt) => await ledgerAs(attempt.actor).begin(attempt),
  advance: async (handle, step) => await ledgerAs(step.actor).advance(handle, step),
  end: async (handle, end) => await ledgerAs(end.actor).end(handle, end),
  record: async (attempt) => await ledgerAs(attempt.actor).record(attempt),
  list: async (filter) => await ledgerAs('reader').list(filter),
}

describe('The ledger contract: over HTTP', () => {
  ledgerContract(() => ({ ledger }))
})

const LOSSES: readonly Fate[][] = [
  ['lost before'],
  ['lost after'],
  ['busy'],
  ['lost after', 'lost before', 'lost after'],
]

describe('a ledger whose answers get lost', () => {
  it.each(LOSSES)('has each write once, and knows its own: %j', async (...losses) => {
    fates = [...losses]
    const begun = await ledger.begin(newAttempt())
    expect(begun.kind).toBe('planned')
    fates = [...losses]
    const stepped = await ledger.advance(rowIn(begun), takeStep('deleting'))
    expect(stepped.kind).toBe('moved')
    fates = [...losses]
    const ended = await ledger.end(rowIn(stepped), endAs('done'))
    expect(ended.kind).toBe('moved')
    fates = [...losses]
    expect(await ledger.record(refusedAttempt())).toMatchObject({ kind: 'recorded' })
    const rows = await stored.list({ limit: 10 })
    expect(rows.map(({ outcome, steps }) => [outcome, steps.length])).toEqual([
      ['refused', 1],
      ['done', 3],
    ])
  })

  it('does not take the attempt of another run for its own', async () => {
    await stored.begin(newAttempt({ run: 'other' }))
    fates = ['lost before']
    expect(await ledger.begin(newAttempt())).toMatchObject({ kind: 'taken', row: { run: 'other' } })
  })

  it('does not take the step of another for its own', async () => {
    const row = rowIn(await ledger.begin(newAttempt()))
    await stored.advance(row, takeStep('deleting', { actor: 'anna' }))
    fates = ['lost before']
    expect(await ledger.advance(row, takeStep('deleting'))).toMatchObject({ kind: 'stale' })
  })

  it('is unavailable where no answer comes at all', async () => {
    fates = Array.from({ length: 20 }, () => 'lost before')
    await expect(ledger.begin(newAttempt())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })
})

describe('a ledger that refuses', () => {
  it('says so at once', async () => {
    await expect(ledger.begin(newAttempt({ at: 3_600_000 }))).rejects.toMatchObject({ exitCode: 3 })
  })
})
