import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { makeDispatchers } from './dispatchers.ts'
import type { HttpRequest } from './exchange.ts'
import { describeRequest, exchange, openStream } from './exchange.ts'
import { isSilence, readUntilSilent } from './read-until-silent.ts'

const LIMITS = { timeoutMs: 60_000, maxBytes: 1000 }
const calm = new AbortController().signal
let opened = new AsyncDisposableStack()

afterEach(async () => {
  await opened.disposeAsync()
  opened = new AsyncDisposableStack()
})

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return new URL(
    `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/a/path?token=abc`,
  )
}

function direct(wayTo: (target: URL) => string | null = () => null) {
  const dispatchers = makeDispatchers({ wayTo, tls: {}, connections: 2 })
  opened.defer(dispatchers.close)
  return dispatchers
}

function get(url: URL): HttpRequest {
  return { method: 'GET', url, headers: { authorization: 'Bearer some-token' } }
}

describe('an exchange', () => {
  it('gives an answer of any status, whole', async () => {
    const url = await serve((request, response) => response.writeHead(418).end(request.headers.authorization))
    const answer = await exchange({ dispatchers: direct(), clock: systemClock }, get(url), LIMITS, calm)
    expect(answer).toMatchObject({ kind: 'answered', status: 418 })
    expect(answer.kind === 'answered' && answer.body.toString()).toBe('Bearer some-token')
  })

  it('stops reading at its limit of bytes', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(LIMITS.maxBytes + 1)))
    const answer = await exchange({ dispatchers: direct(), clock: systemClock }, get(url), LIMITS, calm)
    expect(answer).toMatchObject({ kind: 'blind', sent: true, reason: { code: 'too-large' } })
  })

  it('ends on the injected clock, and says whether it was sent', async () => {
    const clock = createHandClock()
    const arrived = Promise.withResolvers<void>()
    const url = await serve(() => arrived.resolve())
    const asked = exchange({ dispatchers: direct(), clock }, get(url), LIMITS, calm)
    await arrived.promise
    clock.advance(LIMITS.timeoutMs)
    expect(await asked).toMatchObject({ kind: 'blind', sent: true, reason: { code: 'timeout' } })
  })

  it('is stopped by the caller, before it begins and in its middle', async () => {
    const stop = new AbortController()
    const url = await serve(() => stop.abort())
    const means = { dispatchers: direct(), clock: systemClock }
    expect(await exchange(means, get(url), LIMITS, stop.signal)).toMatchObject({ reason: { code: 'stopped' } })
    expect(await exchange(means, get(url), LIMITS, AbortSignal.abort())).toMatchObject({ reason: { code: 'stopped' } })
  })

  it('was not sent where nobody listens', async () => {
    const url = await serve(() => undefined)
    await opened.disposeAsync()
    opened = new AsyncDisposableStack()
    const answer = await exchange({ dispatchers: direct(), clock: systemClock }, get(url), LIMITS, calm)
    expect(answer).toMatchObject({ kind: 'blind', sent: false, reason: { code: 'unreachable' } })
  })

  it('is described without its query and its credentials', () => {
    const described = describeRequest(get(new URL('https://user:password@host.test/path?token=abc')))
    expect(described).toBe('GET host.test/path')
  })

  it('goes through the proxy that is named for its target', async () => {
    const proxy = await serve((request, response) => response.end(`forwarded ${request.url ?? ''}`))
    const means = { dispatchers: direct(() => proxy.origin), clock: systemClock }
    const answer = await exchange(means, get(new URL('http://far.test/thing')), LIMITS, calm)
    expect(answer.kind === 'answered' && answer.body.toString()).toBe('forwarded http://far.test/thing')
  })
})

describe('a stream', () => {
  it('that goes silent is noticed on the clock, and time that the reader takes does not count', async () => {
    const clock = createHandClock()
    const url = await serve((_, response) => response.write('first'))
    const stream = await openStream({ dispatchers: direct(), clock }, get(url), LIMITS, calm)
    if (stream.kind !== 'open') throw new Error('not open')
    const chunks = readUntilSilent(stream.body, { clock, silentAfterMs: 1000, signal: calm })
    expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe('first')
    clock.advance(5000)
    const waiting = chunks.next().catch((error: unknown) => error)
    clock.advance(999)
    const early = await Promise.race([waiting, Promise.resolve('still waiting')])
    expect(early).toBe('still waiting')
    clock.advance(1)
    expect(isSilence(await waiting)).toBe(true)
    stream.close()
  })

  it('ends when the caller stops', async () => {
    const stop = new AbortController()
    const url = await serve((_, response) => response.write('first'))
    const stream = await openStream({ dispatchers: direct(), clock: systemClock }, get(url), LIMITS, stop.signal)
    if (stream.kind !== 'open') throw new Error('not open')
    const chunks = stream.body[Symbol.asyncIterator]()
    await chunks.next()
    stop.abort()
    await expect(chunks.next()).rejects.toThrow(/abort/u)
  })

  it('that is closed unread leaves no failure behind', async () => {
    const url = await serve((_, response) => response.write('never read'))
    const stream = await openStream({ dispatchers: direct(), clock: systemClock }, get(url), LIMITS, calm)
    if (stream.kind === 'open') stream.close()
    expect(stream.kind).toBe('open')
  })
})
