import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { connectKubernetes } from '#/adapters/kubernetes/connect.ts'
import type { Tuning } from '#/adapters/kubernetes/tuning.ts'
import type { Clock } from '#/ports/clock.ts'
import type { WatchEvent } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Answer } from './answering-server.ts'
import { answerJson, startAnsweringServer } from './answering-server.ts'

const LIST_VERSION = '100'
const list = answerJson(200, {
  apiVersion: 'v1',
  kind: 'PodList',
  metadata: { resourceVersion: LIST_VERSION },
  items: [],
})

function event(type: string, resourceVersion: string, more: object = {}): string {
  const metadata = { name: 'pod', uid: 'u', resourceVersion }
  return `${JSON.stringify({ type, object: { apiVersion: 'v1', kind: 'Pod', metadata, ...more } })}\n`
}

const failure = (code: number): string =>
  `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, message: 'it went wrong' } })}\n`

/** Counts every answer as immediate, however slow the machine is. */
const clock: Clock = { ...systemClock, now: () => 0 }

/** The answers to the first watch, the second and so on; then the server keeps the connection open. */
async function watchWhile(
  said: readonly (string | Answer)[],
  enough: (events: readonly WatchEvent[]) => boolean,
  more: Partial<Tuning> = {},
) {
  const asked: string[] = []
  const answer: Answer = (request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams
    asked.push(query.has('watch') ? `watch ${query.get('resourceVersion')}` : 'list')
    if (!query.has('watch')) return list(request, response)
    const next = said[asked.filter((one) => one.startsWith('watch')).length - 1]
    if (typeof next === 'function') return next(request, response)
    return next === undefined ? response.flushHeaders() : response.end(next)
  }
  await using server = await startAnsweringServer(answer)
  const tuning = { backoffFirstMs: 5, backoffMostMs: 10, maxEventBytes: 1000, ...more }
  const { credentials } = server
  const options = { credentials, clock, random: Math.random, userAgent: 'test', tuning }
  await using kubernetes = connectKubernetes(options)
  const stop = new AbortController()
  const events: WatchEvent[] = []
  for await (const event of kubernetes.watch({ resource: RESOURCES.pods }, stop.signal)) {
    events.push(event)
    if (enough(events)) break
  }
  stop.abort()
  return { asked, events, kinds: events.map(({ kind }) => kind) }
}

const away: Answer = (request) => void request.socket.destroy()
const refused = (code: number): Answer => answerJson(code, { kind: 'Status', code, reason: 'X', message: 'not now' })
const proxyPage: Answer = (_, response) => void response.writeHead(502).end('<html>Bad Gateway</html>')

const caughtUp =
  (times: number) =>
  (events: readonly WatchEvent[]): boolean =>
    events.filter(({ kind }) => kind === 'caught-up').length === times

describe('a watch', () => {
  it('continues from its last event, and from its last bookmark', async () => {
    const said = [event('ADDED', '101') + event('BOOKMARK', '150'), event('MODIFIED', '160')]
    const { asked, kinds } = await watchWhile(said, caughtUp(4))
    expect(asked).toEqual(['list', 'watch 100', 'watch 150', 'watch 160'])
    expect(kinds).toEqual(['listed', 'caught-up', 'added', 'caught-up', 'caught-up', 'modified', 'caught-up'])
  })

  it('is blind after an error, and continues where it was', async () => {
    const { asked, events } = await watchWhile([event('ADDED', '101') + failure(500)], caughtUp(2))
    expect(asked).toEqual(['list', 'watch 100', 'watch 101'])
    expect(events.at(-2)).toMatchObject({ kind: 'blind', reason: { code: 'server-error' } })
  })

  it('lists again when its resource version is gone, and names what disappeared', async () => {
    const { asked, events } = await watchWhile([event('ADDED', '101') + failure(410)], caughtUp(2))
    expect(asked).toEqual(['list', 'watch 100', 'list', 'watch 100'])
    expect(events.at(-3)).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    expect(events.at(-2)).toMatchObject({ kind: 'listed', items: [], vanished: [{ metadata: { uid: 'u' } }] })
  })

  it('does not report as disappeared what was reported as deleted', async () => {
    const { events } = await watchWhile([event('ADDED', '101') + event('DELETED', '102') + failure(410)], caughtUp(2))
    expect(events.at(-2)).toMatchObject({ kind: 'listed', vanished: [] })
  })

  it('lists again when an event is larger than it reads', async () => {
    const { asked, events } = await watchWhile([event('ADDED', '101', { x: 'x'.repeat(2000) })], caughtUp(2))
    expect(asked).toEqual(['list', 'watch 100', 'list', 'watch 100'])
    expect(events[2]).toMatchObject({ kind: 'blind', reason: { code: 'too-large' } })
  })

  it('is blind when the server ends it at once without an event, and lists again when that continues', async () => {
    const { asked, kinds } = await watchWhile(['', '', '', ''], caughtUp(5))
    expect(asked).toEqual(['list', ...Array.from({ length: 4 }, () => 'watch 100'), 'list', 'watch 100'])
    expect(kinds.filter((kind) => kind === 'blind')).toHaveLength(4)
  })

  it.each([
    ['cannot be reached', away],
    ['is overloaded', refused(429)],
    ['is starting', refused(503)],
    ['is hidden by a proxy', proxyPage],
  ])('continues where it was, without a list, however long the server %s', async (_, answer) => {
    const said = [event('ADDED', '101') + failure(500), ...Array.from({ length: 8 }, () => answer)]
    const { asked, kinds } = await watchWhile(said, caughtUp(2))
    expect(asked).toEqual(['list', 'watch 100', ...Array.from({ length: 9 }, () => 'watch 101')])
    expect(kinds.filter((kind) => kind === 'blind')).toHaveLength(9)
  })

  it('lists when it may not watch, and tries the watch again each time', async () => {
    const lists = (events: readonly WatchEvent[]): boolean =>
      events.filter(({ kind }) => kind === 'listed').length === 3
    const { asked } = await watchWhile(
      Array.from({ length: 9 }, () => refused(403)),
      lists,
    )
    const watch = 'watch 100'
    expect(asked).toEqual(['list', watch, watch, watch, watch, 'list', watch, 'list'])
  })

  it('reports that it is watching only if the answer does not come from a proxy', async () => {
    const page: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>')
    }
    const { kinds } = await watchWhile([page], caughtUp(1))
    expect(kinds).toEqual(['listed', 'blind', 'caught-up'])
  })

  it('treats a connection with bytes but without events as silent', async () => {
    const drip: Answer = (_, response) => {
      const dripping = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(dripping))
    }
    const { events } = await watchWhile([drip], caughtUp(2), { silentAfterMs: 500 })
    expect(events[2]).toMatchObject({ kind: 'blind', reason: { code: 'timeout' } })
  })

  it('does not accept a part of an event as an event', async () => {
    const { asked, kinds } = await watchWhile([event('ADDED', '101').slice(0, -10)], caughtUp(2))
    expect(asked).toEqual(['list', 'watch 100', 'watch 100'])
    expect(kinds).toEqual(['listed', 'caught-up', 'blind', 'caught-up'])
  })
})
