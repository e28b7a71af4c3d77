import { describe, expect, it } from 'vitest'
import { connectKubernetes } from '#/adapters/kubernetes/connect.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { Credentials, CredentialSource } from '#/adapters/kubernetes/credentials.ts'
import type { Clock } from '#/ports/clock.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Answer } from './answering-server.ts'
import { answerJson, startAnsweringServer } from './answering-server.ts'
import { SOUND } from './verbs.ts'

const calm = new AbortController().signal
const place = { resource: RESOURCES.pods, namespace: 'ns' }
const sound = answerJson(200, SOUND.list)
const TAIL = { namespace: 'ns', pod: 'p', container: 'c', tailLines: 9, tailBytes: 99 }

/** Short waits take no time and are recorded; deadlines, which are long, never expire. */
function skippingClock(): Clock & { readonly slept: readonly number[] } {
  const slept: number[] = []
  return {
    slept,
    now: () => 0,
    sleep: async (ms, signal) => {
      if (ms < 10_000) slept.push(ms)
      else await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
    },
  }
}

function connect(credentials: CredentialSource, clock: Clock): KubernetesConnection {
  return connectKubernetes({ credentials, clock, random: () => 1, userAgent: 'test/1' })
}

/** One answer after the other; the last one repeats. */
function inTurn(answers: readonly Answer[]): Answer {
  let next = 0
  return (request, response) => {
    answers[Math.min(next, answers.length - 1)]?.(request, response)
    next += 1
  }
}

const overloaded =
  (headers: Record<string, string>): Answer =>
  (_, response) =>
    response.writeHead(429, headers).end()

describe('a busy server', () => {
  it('makes a read wait as long as the server requests', async () => {
    const busy = overloaded({ 'retry-after': '2' })
    await using server = await startAnsweringServer(inTurn([busy, busy, sound]))
    const clock = skippingClock()
    await using kubernetes = connect(server.credentials, clock)
    expect(await kubernetes.list(place, calm)).toMatchObject({ kind: 'seen' })
    expect(clock.slept).toEqual([2000, 2000])
  })

  it.each([
    ['does not say how long', {}],
    ['asks for too long', { 'retry-after': '3600' }],
    ['names a date', { 'retry-after': 'Sun, 15 Nov 2026 12:00:00 GMT' }],
  ])('is not waited for when it %s', async (_, headers) => {
    await using server = await startAnsweringServer(inTurn([overloaded(headers), sound]))
    const clock = skippingClock()
    await using kubernetes = connect(server.credentials, clock)
    expect(await kubernetes.list(place, calm)).toMatchObject({ kind: 'blind', reason: { code: 'rate-limited' } })
    expect(clock.slept).toEqual([])
  })

  it('gets at most three attempts', async () => {
    await using server = await startAnsweringServer(overloaded({ 'retry-after': '1' }))
    const clock = skippingClock()
    await using kubernetes = connect(server.credentials, clock)
    expect(await kubernetes.list(place, calm)).toMatchObject({ kind: 'blind', reason: { code: 'rate-limited' } })
    expect(clock.slept).toEqual([1000, 1000])
  })

  it('makes a log reader wait too', async () => {
    const log: Answer = (_, response) => response.end('2026-11-15T22:00:00.000000001Z said\n')
    await using server = await startAnsweringServer(inTurn([overloaded({ 'retry-after': '1' }), log]))
    await using kubernetes = connect(server.credentials, skippingClock())
    expect(await kubernetes.logTail(TAIL, calm)).toMatchObject({ kind: 'seen', value: { cut: false } })
  })

  it('gets no second attempt of a write: nothing was applied', async () => {
    let asked = 0
    await using server = await startAnsweringServer((request, response) => {
      asked += 1
      overloaded({ 'retry-after': '1' })(request, response)
    })
    await using kubernetes = connect(server.credentials, skippingClock())
    const outcome = await kubernetes.delete({ ...place, name: 'pod', preconditions: { uid: 'u' } }, calm)
    expect(outcome).toMatchObject({ kind: 'blind', applied: 'no', reason: { code: 'rate-limited' } })
    expect(asked).toBe(1)
  })
})

describe('a connection that breaks before the answer', () => {
  const breaks: Answer = (request) => void request.socket.destroy()

  it('is retried for a read', async () => {
    await using server = await startAnsweringServer(inTurn([breaks, breaks, sound]))
    const clock = skippingClock()
    await using kubernetes = connect(server.credentials, clock)
    expect(await kubernetes.list(place, calm)).toMatchObject({ kind: 'seen' })
    expect(clock.slept).toEqual([0, 500])
  })

  it('is not retried for a write, which may have been applied', async () => {
    await using server = await startAnsweringServer(inTurn([breaks, sound]))
    await using kubernetes = connect(server.credentials, skippingClock())
    const outcome = await kubernetes.delete({ ...place, name: 'pod', preconditions: { uid: 'u' } }, calm)
    expect(outcome).toMatchObject({ kind: 'blind', applied: 'unknown', reason: { code: 'unreachable' } })
  })
})

describe('a rejected credential', () => {
  const refuseOld: Answer = (request, response) => {
    if (request.headers.authorization === 'Bearer new') sound(request, response)
    else answerJson(401, { kind: 'Status', code: 401, reason: 'Unauthorized' })(request, response)
  }

  function renewing(old: Credentials, renewed: string): CredentialSource & { readonly renewals: () => number } {
    let renewals = 0
    return {
      renewals: () => renewals,
      current: async () => ({ ...old, headers: { authorization: 'Bearer old' } }),
      renew: async () => {
        renewals += 1
        return { ...old, headers: { authorization: renewed } }
      },
    }
  }

  it('is renewed once, for lists and for watches; a second rejection is final', async () => {
    await using server = await startAnsweringServer(refuseOld)
    const old = await server.credentials.current(calm)
    if (old.kind !== 'ready') throw new Error('no credentials')
    const good = renewing(old, 'Bearer new')
    await using kubernetes = connect(good, skippingClock())
    expect(await kubernetes.list(place, calm)).toMatchObject({ kind: 'seen' })
    expect(good.renewals()).toBe(1)
    const bad = renewing(old, 'Bearer other')
    await using refused = connect(bad, skippingClock())
    expect(await refused.list(place, calm)).toMatchObject({ kind: 'blind', reason: { code: 'unauthenticated' } })
    expect(bad.renewals()).toBe(1)
    const tail = await refused.logTail(TAIL, calm)
    expect(tail).toMatchObject({ kind: 'blind', reason: { code: 'unauthenticated' } })
    expect(bad.renewals()).toBe(2)
  })
})

describe('a request', () => {
  it('keeps the path under which a gateway serves the cluster, and sends a user agent', async () => {
    const asked: string[] = []
    await using server = await startAnsweringServer((request, response) => {
      asked.push(`${request.url ?? ''} ${request.headers['user-agent'] ?? ''}`)
      sound(request, response)
    })
    const direct = await server.credentials.current(calm)
    if (direct.kind !== 'ready') throw new Error('no credentials')
    const behind = { ...direct, server: new URL('/k8s/clusters/c-1/', direct.server) }
    await using kubernetes = connect({ current: async () => behind, renew: async () => behind }, skippingClock())
    await kubernetes.list({ ...place, labelSelector: 'a in (b,c)' }, calm)
    await kubernetes.raw('/readyz?verbose', calm)
    expect(asked).toEqual([
      '/k8s/clusters/c-1/api/v1/namespaces/ns/pods?limit=500&labelSelector=a+in+%28b%2Cc%29 test/1',
      '/k8s/clusters/c-1/readyz?verbose test/1',
    ])
  })
})
