import { describe, expect, it } from 'vitest'
import type { ServerResponse } from 'node:http'
import { systemClock } from '#/adapters/clock.ts'
import { parseJsonLine } from '#/adapters/journal/parse-json-line.ts'
import { Secret } from '#/core/basics/secret.ts'
import { serveHttp, sendJson } from '#test/collect/http-service.ts'
import type { Asked, HttpService } from '#test/collect/http-service.ts'
import { createLokiStore } from './loki.ts'
import type { LokiOptions } from './loki.ts'

const TOKEN = 'glc_the-token-that-nobody-may-see'
const signal = new AbortController().signal
const FROM = Date.parse('2026-06-06T21:00:00Z')
const TO = FROM + 600_000
const WINDOW = { from: FROM, to: TO }

const open = ({ url, http }: HttpService, own: Partial<LokiOptions> = {}) =>
  createLokiStore({
    url,
    tenant: null,
    user: null,
    token: null,
    selectors: { journal: '{job="journal", instance="$node"}', pod: '{namespace="$namespace", pod="$pod"}' },
    http,
    clock: systemClock,
    ...own,
  })

type Line = readonly [ms: number, line: string, labels?: Readonly<Record<string, string>>]

/** Answers as Loki's documentation describes: times in nanoseconds, the end exclusive, the newest first, at most `limit` lines. */
function answerLines(lines: readonly Line[]): (asked: Asked, response: ServerResponse) => void {
  return ({ url }, response) => {
    const asked = (name: string): string => url.searchParams.get(name) ?? ''
    const [start, end] = [BigInt(asked('start')), BigInt(asked('end'))]
    const found = lines
      .map(([ms, line, labels = {}]) => ({ ns: BigInt(FROM + ms) * 1_000_000n, line, labels }))
      .filter(({ ns }) => ns >= start && ns < end)
      .toSorted((a, b) => (a.ns > b.ns ? -1 : a.ns < b.ns ? 1 : 0))
      .slice(0, Number(asked('limit')))
    const streams = Map.groupBy(found, ({ labels }) => JSON.stringify(labels))
    const result = [...streams].map(([labels, own]) => ({
      stream: JSON.parse(labels) as unknown,
      values: own.map(({ ns, line }) => [String(ns), line]),
    }))
    sendJson(response, { status: 'success', data: { resultType: 'streams', result, stats: {} } })
  }
}

describe('the journal of a node in Loki', () => {
  it('is asked for with the selector, the window in nanoseconds, the tenant and the token', async () => {
    await using service = await serveHttp(answerLines([[1, 'a', { unit: 'kubelet.service' }]]))
    const store = open(service, { tenant: 'ci', token: new Secret('loki-token', TOKEN) })
    await store.journal('node-"7', WINDOW, signal)
    const [asked] = service.asked
    expect(asked?.url.pathname).toBe('/loki/api/v1/query_range')
    expect(Object.fromEntries(asked?.url.searchParams ?? [])).toMatchObject({
      query: '{job="journal", instance="node-\\"7"}',
      start: `${FROM}000000`,
      end: `${TO}000000`,
      direction: 'backward',
    })
    expect(asked?.headers).toMatchObject({ 'x-scope-orgid': 'ci', authorization: `Bearer ${TOKEN}` })
  })

  it('takes the token as a password where there is a user', async () => {
    await using service = await serveHttp(answerLines([[1, 'a']]))
    await open(service, { user: '1234', token: new Secret('loki-token', 'p') }).journal('n', WINDOW, signal)
    expect(service.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('1234:p').toString('base64')}`)
  })

  it('is lines of journalctl, whether whole entries or messages with labels are kept', async () => {
    const entry = JSON.stringify({ MESSAGE: 'whole', _SYSTEMD_UNIT: 'containerd.service', _BOOT_ID: 'b' })
    await using service = await serveHttp(
      answerLines([
        [1, 'Out of memory: Killed process 7'],
        [2, 'SyncLoop DELETE', { unit: 'kubelet.service', priority_keyword: 'warning' }],
        [3, entry, { unit: 'containerd.service' }],
        [4, 'Started Session', { unit: 'init.scope' }],
      ]),
    )
    const read = await open(service).journal('n7', WINDOW, signal)
    const lines = read.kind === 'seen' ? read.value.text.trimEnd().split('\n').map(parseJsonLine) : []
    expect(lines.map((one) => (one.kind === 'line' ? one.line : null))).toMatchObject([
      {
        at: FROM + 1,
        transport: 'kernel',
        identifier: 'kernel',
        message: 'Out of memory: Killed process 7',
        host: 'n7',
      },
      { at: FROM + 2, unit: 'kubelet.service', identifier: 'kubelet', priority: 4 },
      { at: FROM + 3, unit: 'containerd.service', message: 'whole', bootId: 'b' },
      { at: FROM + 4, identifier: 'systemd' },
    ])
  })

  it('is read page by page, each line once, also where many have one time', async () => {
    const lines = Array.from({ length: 25 }, (_, index): Line => [Math.floor(index / 5) * 10, `line ${index}`])
    await using service = await serveHttp(answerLines(lines))
    const read = await open(service, { limits: { pageLines: 7 } }).journal('n', WINDOW, signal)
    expect(read.kind === 'seen' && read.value.text.match(/line \d+/g)?.length).toBe(25)
    expect(read).toMatchObject({ value: { from: FROM, to: TO, cut: null } })
    expect(service.asked.length).toBeGreaterThan(3)
  })

  it('is asked for in smaller pages where this Loki allows fewer lines', async () => {
    const give = answerLines([[1, 'a']])
    await using service = await serveHttp((asked, response) => {
      if (Number(asked.url.searchParams.get('limit')) <= 100) return give(asked, response)
      const why = 'max entries limit per query exceeded, limit > max_entries_limit_per_query (2000 > 100)'
      response.writeHead(400, { 'content-type': 'text/plain' }).end(why)
    })
    expect(await open(service).journal('n', WINDOW, signal)).toMatchObject({ kind: 'seen', value: { cut: null } })
  })
})

describe('what Loki does not give is blind, each in its way', () => {
  it.each([
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['unsupported', 404],
    ['rate-limited', 429],
    ['server-error', 500],
  ])('%s at %i, with its words and without the token', async (code, status) => {
    await using service = await serveHttp((_, response) => response.writeHead(status).end('no org id\n'))
    const read = await open(service, { token: new Secret('loki-token', TOKEN) }).journal('n', WINDOW, signal)
    expect(read).toMatchObject({ kind: 'blind', reason: { code } })
    expect(JSON.stringify(read)).toContain('no org id')
    expect(JSON.stringify(read)).not.toContain(TOKEN)
  })

  it('nothing: the selector is named, because it may be wrong', async () => {
    await using service = await serveHttp(answerLines([]))
    expect(await open(service).journal('n7', WINDOW, signal)).toMatchObject({
      kind: 'blind',
      reason: { code: 'expired', detail: expect.stringContaining('instance="n7"') as string },
    })
  })

  it('cut off at a limit: the newest lines are there, and the time that they cover', async () => {
    const lines = Array.from({ length: 50 }, (_, index): Line => [index * 1000, `line ${index}`])
    await using service = await serveHttp(answerLines(lines))
    const read = await open(service, { limits: { pageLines: 10, mostLines: 20 } }).journal('n', WINDOW, signal)
    expect(read).toMatchObject({ kind: 'seen', value: { to: TO, cut: { code: 'truncated' } } })
    const value = read.kind === 'seen' ? read.value : null
    expect([value?.text.includes('line 49'), value?.text.includes('line 5"')]).toEqual([true, false])
    // Three pages of ten, which overlap by one line.
    expect(value?.from).toBe(FROM + 22_001)
  })

  it('a failure in the middle: what came stays, and the rest is cut off', async () => {
    const give = answerLines(Array.from({ length: 30 }, (_, index): Line => [index * 1000, `line ${index}`]))
    await using service = await serveHttp((asked, response) =>
      service.asked.length > 2 ? response.writeHead(502).end('bad gateway') : give(asked, response),
    )
    const read = await open(service, { limits: { pageLines: 10 } }).journal('n', WINDOW, signal)
    expect(read).toMatchObject({ kind: 'seen', value: { cut: { code: 'server-error' } } })
  })

  it.each([
    ['no JSON', 'oops'],
    ['a metric query', JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [] } })],
  ])('%s is malformed', async (_title, body) => {
    await using service = await serveHttp((_, response) => response.writeHead(200).end(body))
    expect(await open(service).journal('n', WINDOW, signal)).toMatchObject({ reason: { code: 'malformed' } })
  })
})

describe('the logs of a pod in Loki', () => {
  it('are one for each container, with the times of kubectl', async () => {
    await using service = await serveHttp(
      answerLines([
        [1, 'Job request 7 received', { container: 'runner' }],
        [2, 'starting', { container: 'dind' }],
        [3, 'done', { container: 'runner' }],
      ]),
    )
    const read = await open(service).podLogs({ namespace: 'arc', pod: 'p-1' }, WINDOW, signal)
    const logs = read.kind === 'seen' ? read.value : []
    expect(logs.map(({ container, text }) => [container, text])).toEqual([
      ['runner', '2026-06-06T21:00:00.001000000Z Job request 7 received\n2026-06-06T21:00:00.003000000Z done\n'],
      ['dind', '2026-06-06T21:00:00.002000000Z starting\n'],
    ])
    expect(service.asked[0]?.url.searchParams.get('query')).toBe('{namespace="arc", pod="p-1"}')
  })
})
