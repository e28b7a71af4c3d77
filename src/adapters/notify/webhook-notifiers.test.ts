import { afterEach, describe, expect, it } from 'vitest'
import { verifySignature } from '#/adapters/github/webhook-signature.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { slackNotifier, teamsNotifier, webhookNotifier } from '#/adapters/notify/webhook-notifiers.ts'
import { systemClock } from '#/adapters/clock.ts'
import { sampleNotice } from '#/core/notify/sample.ts'
import { Secret } from '#/core/basics/secret.ts'
import type { Notifier } from '#/ports/notifier.ts'
import { NOON_MS, createHandClock } from '#test/github/hand-clock.ts'
import { until } from '#test/cluster/until.ts'
import { ADDRESS_SECRET, answering, startReceiving } from '#test/notify/receiving-server.ts'
import type { ReceivingServer } from '#test/notify/receiving-server.ts'
import { someDeath } from '#test/notify/some-death.ts'
import { someNotice } from '#test/notify/some-notice.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

const UNSTOPPED = new AbortController().signal
const KEY = new Secret('webhook-secret', 'the key of the signature')
const MAKE = {
  slack: slackNotifier,
  teams: teamsNotifier,
  webhook: (...given: Parameters<typeof slackNotifier>) => webhookNotifier(...given, KEY),
} as const

type Started = { readonly server: ReceivingServer; readonly notifier: Notifier }

async function start(format: keyof typeof MAKE, clock = systemClock): Promise<Started> {
  const server = await startReceiving(format)
  const dispatchers = makeDispatchers({ wayTo: () => null, tls: {}, connections: 1 })
  opened.push(
    () => dispatchers.close(),
    async () => server[Symbol.asyncDispose](),
  )
  return { server, notifier: MAKE[format]({ dispatchers, clock }, new Secret('webhook-url', server.url)) }
}

const job = { id: 7, name: 'build <x> & y', url: 'https://github.com/acme/api/actions/runs/1/job/7' }
const NOTICES = {
  'one death': someNotice([someDeath('a', { job, repository: 'acme/api', workflow: 'ci' })]),
  'a large group': someNotice(Array.from({ length: 300 }, (_, index) => someDeath(`u${index}`, { job }))),
  'a group with others': someNotice([someDeath('a'), someDeath('b', { cause: 'oom-node' })], {
    more: { count: 14, since: NOON_MS, causes: { 'node-lost': 9, 'image-pull': 5 }, uids: [] },
  }),
  'a number alone': someNotice([], { more: { count: 3, since: NOON_MS, causes: { 'node-lost': 3 }, uids: [] } }),
  'a death of which little is known': someNotice([
    someDeath('a', { node: null, pool: null, next: [], blind: [], message: '' }),
  ]),
  'a test': sampleNotice(NOON_MS),
}

describe.each(Object.keys(MAKE) as (keyof typeof MAKE)[])('%s', (format) => {
  it.each(Object.entries(NOTICES))('takes %s', async (_, notice) => {
    const { server, notifier } = await start(format)
    expect(await notifier.send(notice, UNSTOPPED)).toEqual({ kind: 'sent' })
    expect(server.received).toMatchObject([{ headers: { 'content-type': 'application/json; charset=utf-8' } }])
  })

  it.each([
    [202, {}, '', { kind: 'sent' }],
    [429, { 'retry-after': '30' }, '', { kind: 'later', notBefore: NOON_MS + 30_000 }],
    [429, {}, '', { kind: 'later', notBefore: null }],
    [
      503,
      { 'retry-after': new Date(NOON_MS + 60_000).toUTCString() },
      '',
      { kind: 'later', notBefore: NOON_MS + 60_000 },
    ],
    [
      500,
      {},
      'rollup_error',
      { kind: 'later', why: expect.stringContaining('it answered 500 (rollup_error)') as string },
    ],
    [502, {}, `<html>${ADDRESS_SECRET}</html>`, { kind: 'later', notBefore: null }],
    [404, {}, 'no_service', { kind: 'paused', why: expect.stringContaining('404 (no_service)') as string }],
    [410, {}, 'channel_is_archived', { kind: 'paused' }],
    [403, {}, 'action_prohibited', { kind: 'paused' }],
    [302, { location: 'http://127.0.0.1:1/elsewhere' }, '', { kind: 'paused' }],
    [400, {}, 'invalid_payload', { kind: 'refused', why: expect.stringContaining('400 (invalid_payload)') as string }],
    [413, {}, '', { kind: 'refused' }],
  ])('answers %i %j %s', async (status, headers, body, expected) => {
    const { server, notifier } = await start(format, createHandClock())
    server.answers.push(answering(status, headers, body))
    const sending = await notifier.send(NOTICES['one death'], UNSTOPPED)
    expect(sending).toMatchObject(expected)
    expect(JSON.stringify(sending)).not.toContain(ADDRESS_SECRET)
    expect(server.received.length).toBe(1)
  })

  it('is given up when it does not answer, and when it is away; its URL is not logged', async () => {
    const clock = createHandClock()
    const { server, notifier } = await start(format, clock)
    server.answers.push(() => {})
    const sending = notifier.send(NOTICES['one death'], UNSTOPPED)
    await until({ what: 'the request', timeoutMs: 30_000, probe: async () => server.received[0] })
    clock.advance(15_000)
    expect(await sending).toMatchObject({ kind: 'later', why: expect.stringContaining('within 15000 ms') as string })
    server.answers.push((response) => void response.destroy())
    const broken = await notifier.send(NOTICES['one death'], UNSTOPPED)
    expect(broken).toMatchObject({ kind: 'later' })
    await server[Symbol.asyncDispose]()
    opened.pop()
    const refused = await notifier.send(NOTICES['one death'], UNSTOPPED)
    expect(refused).toMatchObject({ kind: 'later', why: expect.stringContaining('refused') as string })
    expect(JSON.stringify([await sending, broken, refused])).not.toContain(ADDRESS_SECRET)
  })
})

describe('a webhook of your own', () => {
  it('is signed, and the same for each try', async () => {
    const { server, notifier } = await start('webhook')
    server.answers.push(answering(500))
    for (let tries = 0; tries < 2; tries += 1) await notifier.send(NOTICES['one death'], UNSTOPPED)
    const [first, second] = server.received
    if (first === undefined || second === undefined) throw new Error('it was not sent twice')
    const signature = first.headers['x-signalbox-signature-256']
    expect(verifySignature([KEY], Buffer.from(first.body), String(signature))).toBe('valid')
    expect(verifySignature([KEY], Buffer.from(`${first.body} `), String(signature))).toBe('mismatch')
    expect(first.headers).toMatchObject({ 'x-signalbox-delivery': 'notice-1', 'x-signalbox-event': 'deaths' })
    expect(second.body).toBe(first.body)
  })

  it('is not signed without a secret, and says what is a test', async () => {
    const { server } = await start('webhook')
    const dispatchers = makeDispatchers({ wayTo: () => null, tls: {}, connections: 1 })
    opened.unshift(() => dispatchers.close())
    const http = { dispatchers, clock: systemClock }
    await webhookNotifier(http, new Secret('webhook-url', server.url), null).send(NOTICES['a test'], UNSTOPPED)
    expect(server.received[0]?.headers['x-signalbox-signature-256']).toBeUndefined()
    expect(server.received[0]?.headers['x-signalbox-event']).toBe('test')
    expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({
      test: true,
      headline: expect.stringMatching(/^TEST: /) as string,
    })
  })
})
