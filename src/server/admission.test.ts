import { once } from 'node:events'
import { connect } from 'node:net'
import { Hono } from 'hono'
import type { Context } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { setCaller } from './access/caller.ts'
import { admission } from './admission.ts'
import type { AdmissionLimits } from './admission.ts'
import { connectionLimit } from './connection-limit.ts'
import { listen } from './listen.ts'

const IDLE = { lag: () => 0, isBehind: () => false }
const PATIENCE = { timeout: 30_000, interval: 10 }

const ONE_CALLER = {
  mostAtOnceOfCaller: 99,
  mostWaitingOfCaller: 999,
  mostUnreadBytes: 1e6,
  mostUnreadBytesOfCaller: 1e6,
}

/** The caller is whom the query names. */
function guarded(limits: Partial<AdmissionLimits>, load = IDLE): Hono {
  const app = new Hono()
  app.use('*', async (c: Context, next) => {
    setCaller(c, { actor: `token/${c.req.query('as') ?? 'a'}`, role: 'read', peer: null })
    await next()
  })
  app.use('*', admission({ ...ONE_CALLER, mostAtOnce: 9, mostWaiting: 9, ...limits }, load))
  return app
}

/** An API whose answers a test gives. */
function answeringApi(limits: Partial<AdmissionLimits>) {
  const waiting: (() => void)[] = []
  const callers: (string | undefined)[] = []
  const state = { lag: 0, isBehind: false }
  const app = guarded(limits, { lag: () => state.lag, isBehind: () => state.isBehind })
  app.get('/', async (c) => {
    callers.push(c.req.query('as'))
    await new Promise<void>((resolve) => waiting.push(resolve))
    return c.text('done')
  })
  const ask = (caller: string, signal?: AbortSignal): Promise<Response> =>
    Promise.resolve(app.request(`/?as=${caller}`, signal === undefined ? {} : { signal }))
  return { app, waiting, callers, state, ask }
}

describe('the API', () => {
  it('works on so many requests at once, lets so many wait, and refuses the rest', async () => {
    const { app, waiting } = answeringApi({ mostAtOnce: 2, mostWaiting: 1 })
    const all = [1, 2, 3, 4].map(() => Promise.resolve(app.request('/')))
    const refused = await all[3]
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([429, '1'])
    expect(waiting).toHaveLength(2)
    for (const answered of [1, 2, 3]) {
      await vi.waitFor(() => expect(waiting.length).toBeGreaterThanOrEqual(answered), PATIENCE)
      waiting[answered - 1]?.()
    }
    const answers = await Promise.all(all.slice(0, 3))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('works on one request at a time while the program is late, and on more when it is not', async () => {
    const { app, waiting, state } = answeringApi({ mostAtOnce: 3, mostWaiting: 9 })
    state.lag = 1000
    const all = [1, 2, 3, 4].map(() => Promise.resolve(app.request('/')))
    await vi.waitFor(() => expect(waiting).toHaveLength(1), PATIENCE)
    waiting[0]?.()
    await all[0]
    await vi.waitFor(() => expect(waiting).toHaveLength(2), PATIENCE)
    state.lag = 0
    waiting[1]?.()
    await vi.waitFor(() => expect(waiting).toHaveLength(4), PATIENCE)
    for (const answer of waiting) answer()
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('refuses with 503 what cannot wait while deaths wait to be recorded, and keeps pauses between the rest', async () => {
    const { app, waiting, state } = answeringApi({ mostAtOnce: 16, mostWaiting: 256 })
    state.isBehind = true
    const all = Array.from({ length: 20 }, () => Promise.resolve(app.request('/')))
    const refused = await Promise.all(all.slice(9))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]))
    expect(refused[0]?.headers.get('retry-after')).toBe('3')
    expect(await refused[0]?.text()).toContain('recording deaths')
    vi.useFakeTimers()
    waiting[0]?.()
    await all[0]
    await vi.advanceTimersByTimeAsync(19)
    expect(waiting).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(waiting).toHaveLength(2)
    vi.useRealTimers()
    state.isBehind = false
    waiting[1]?.()
    await vi.waitFor(() => expect(waiting).toHaveLength(9), PATIENCE)
    for (const answer of waiting) answer()
    expect((await Promise.all(all.slice(0, 9))).map(({ status }) => status)).toEqual(Array(9).fill(200))
  })

  it('forgets a request that waits when its caller goes', async () => {
    const { app, waiting } = answeringApi({ mostAtOnce: 1, mostWaiting: 1 })
    const first = Promise.resolve(app.request('/'))
    await vi.waitFor(() => expect(waiting).toHaveLength(1), PATIENCE)
    const gone = new AbortController()
    const second = Promise.resolve(app.request('/', { signal: gone.signal }))
    gone.abort()
    expect((await second).status).toBe(429)
    const third = Promise.resolve(app.request('/'))
    waiting[0]?.()
    await vi.waitFor(() => expect(waiting).toHaveLength(2), PATIENCE)
    waiting[1]?.()
    expect([(await first).status, (await third).status]).toEqual([200, 200])
  })

  const ALL = { mostAtOnce: 16, mostWaiting: 256, mostAtOnceOfCaller: 4, mostWaitingOfCaller: 32 }

  it('gives a caller its turn at once however much another one asks', async () => {
    const { ask, callers, waiting } = answeringApi(ALL)
    const many = Array.from({ length: 300 }, () => ask('a'))
    const refused = await Promise.all(many.slice(4 + 32))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]))
    const other = ask('b')
    await vi.waitFor(() => expect(callers).toEqual(['a', 'a', 'a', 'a', 'b']), PATIENCE)
    waiting[4]?.()
    expect((await other).status).toBe(200)
    for (let answered = 0; answered < 4 + 32; answered += 1) {
      // The fifth was the other caller's.
      const index = answered < 4 ? answered : answered + 1
      await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(index), PATIENCE)
      waiting[index]?.()
    }
    const answers = await Promise.all(many.slice(0, 4 + 32))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('gives the next turn to the caller with the fewest, and of several to the one that was served longest ago', async () => {
    const { ask, callers, waiting } = answeringApi({ ...ALL, mostAtOnce: 3 })
    const all = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map((caller) => ask(caller))
    await vi.waitFor(() => expect(callers).toEqual(['a', 'a', 'a']), PATIENCE)
    for (let answered = 0; answered < all.length; answered += 1) {
      await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(answered), PATIENCE)
      waiting[answered]?.()
    }
    await Promise.all(all)
    expect(callers.join('')).toBe('aaabcaba')
  })

  it('makes room in a full queue for a caller that waits less, also while deaths wait to be recorded', async () => {
    const { ask, callers, waiting, state } = answeringApi(ALL)
    state.isBehind = true
    const many = Array.from({ length: 9 }, () => ask('a'))
    await vi.waitFor(() => expect(callers).toEqual(['a']), PATIENCE)
    const other = ask('b')
    expect((await many[8])?.status).toBe(503)
    waiting[0]?.()
    await vi.waitFor(() => expect(callers).toEqual(['a', 'b']), PATIENCE)
    waiting[1]?.()
    expect((await other).status).toBe(200)
    state.isBehind = false
    for (let answered = 2; answered < 9; answered += 1) {
      await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(answered), PATIENCE)
      waiting[answered]?.()
    }
    expect((await Promise.all(many.slice(0, 8))).map(({ status }) => status)).toEqual(Array(8).fill(200))
  })

  it('refuses more answers while slow readers hold too many', async () => {
    const app = guarded({ mostUnreadBytesOfCaller: 500_000 })
    app.get('/large', (c) => c.body(Buffer.alloc(64 * 1024 * 1024)))
    app.get('/small', (c) => c.text('small'))
    const listening = await listen(app, { host: '127.0.0.1', port: 0 })
    if (listening.kind === 'refused') throw new Error(listening.why)
    const { port } = new URL(listening.url)
    const slow = connect(Number(port), '127.0.0.1')
    await once(slow, 'connect')
    slow.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    const status = async (path: string): Promise<number> => {
      const answer = await fetch(`${listening.url}${path}`)
      await answer.text()
      return answer.status
    }
    await vi.waitFor(async () => expect(await status('/small')).toBe(429), PATIENCE)
    // The server has memory for the one caller's answers only: the bound for all is reached too.
    expect(await status('/small?as=b')).toBe(429)
    slow.destroy()
    await vi.waitFor(async () => expect(await status('/small')).toBe(200), PATIENCE)
    await listening.close()
  })

  it.each([
    ['Max open files            1024                 4096                 files', 100],
    ['Max open files            4096                 4096                 files', 3096],
    ['Max open files            1048576              1048576              files', 8000],
    ['', 8000],
  ])('leaves open files for the rest of the program: %s', (limits, expected) => {
    expect(connectionLimit(limits)).toBe(expected)
  })
})
