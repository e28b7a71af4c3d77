import { once } from 'node:events'
import { connect } from 'node:net'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { admission } from './admission.ts'
import { connectionLimit } from './connection-limit.ts'
import { listen } from './listen.ts'

const IDLE = { lag: () => 0, isBehind: () => false }
const PATIENCE = { timeout: 30_000, interval: 10 }

/** An API whose answers a test gives. */
function answeringApi(limits: { mostAtOnce: number; mostWaiting: number }) {
  const waiting: (() => void)[] = []
  const state = { lag: 0, isBehind: false }
  const app = new Hono()
  app.use('*', admission({ ...limits, mostUnreadBytes: 1e6 }, { lag: () => state.lag, isBehind: () => state.isBehind }))
  app.get('/', async (c) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return c.text('done')
  })
  return { app, waiting, state }
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

  it('refuses more answers while slow readers hold too many', async () => {
    const app = new Hono()
    app.use('*', admission({ mostAtOnce: 9, mostWaiting: 9, mostUnreadBytes: 1e6 }, IDLE))
    app.get('/large', (c) => c.body(Buffer.alloc(64 * 1024 * 1024)))
    app.get('/small', (c) => c.text('small'))
    const listening = await listen(app, { host: '127.0.0.1', port: 0 })
    if (listening.kind === 'refused') throw new Error(listening.why)
    const { port } = new URL(listening.url)
    const slow = connect(Number(port), '127.0.0.1')
    await once(slow, 'connect')
    slow.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    const status = async (): Promise<number> => {
      const answer = await fetch(`${listening.url}/small`)
      await answer.text()
      return answer.status
    }
    await vi.waitFor(async () => expect(await status()).toBe(429), PATIENCE)
    slow.destroy()
    await vi.waitFor(async () => expect(await status()).toBe(200), PATIENCE)
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
