import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { connectKubernetes } from '#/adapters/kubernetes/connect.ts'
import type { Answer } from './answering-server.ts'
import { answerJson, startAnsweringServer } from './answering-server.ts'
import type { Outcome, Verb } from './verbs.ts'
import { SOUND, VERBS } from './verbs.ts'

const FORBIDDEN_STATUS = {
  kind: 'Status',
  status: 'Failure',
  code: 403,
  reason: 'Forbidden',
  message: 'pods is forbidden',
}
const ABSENT_STATUS = { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound', details: { name: 'pod' } }

const forbidden = answerJson(403, FORBIDDEN_STATUS)
const absent = answerJson(404, ABSENT_STATUS)
const emptyList = answerJson(200, { ...SOUND.list, items: [] })
const soundList = answerJson(200, SOUND.list)
const emptyText: Answer = (_, response) => response.end()

/** The start of a correct answer, then the end of the connection. */
function truncated(verb: Verb): Answer {
  return (request, response) => {
    if (verb === 'watch' && request.url?.includes('watch=true') !== true) return soundList(request, response)
    const text = JSON.stringify(SOUND[verb])
    response.writeHead(200, { 'content-length': String(text.length + 1) })
    return response.write(text.slice(0, -1), () => response.destroy())
  }
}

const blind = (code: string): object => ({ kind: 'blind', reason: { code } })

type Row = { readonly verb: Verb; readonly empty: Answer; readonly whenEmpty: object; readonly whenForbidden?: object }

const WRITE = { empty: absent, whenEmpty: { kind: 'gone' }, whenForbidden: { kind: 'forbidden' } }

/** A stream cannot be truncated: what was sent stays valid, and the rest comes after a reconnect. */
const STREAMS: ReadonlySet<Verb> = new Set<Verb>(['watch', 'followLog'])

const TABLE: readonly Row[] = [
  { verb: 'list', empty: emptyList, whenEmpty: { kind: 'none' } },
  { verb: 'get', empty: absent, whenEmpty: { kind: 'none' } },
  { verb: 'raw', empty: absent, whenEmpty: { kind: 'none' } },
  { verb: 'logTail', empty: emptyText, whenEmpty: { kind: 'none' } },
  { verb: 'followLog', empty: emptyText, whenEmpty: { kind: 'ended' } },
  { verb: 'watch', empty: emptyList, whenEmpty: { kind: 'listed', items: [] } },
  { verb: 'canI', empty: answerJson(200, { status: {} }), whenEmpty: blind('malformed') },
  { verb: 'reviewToken', empty: answerJson(200, { status: {} }), whenEmpty: { value: { kind: 'invalid' } } },
  { verb: 'create', ...WRITE },
  { verb: 'patch', ...WRITE },
  { verb: 'delete', ...WRITE },
  { verb: 'evict', ...WRITE },
]

async function ask(verb: Verb, answer: Answer): Promise<Outcome> {
  await using server = await startAnsweringServer(answer)
  const { credentials } = server
  const tuning = { backoffFirstMs: 10, backoffMostMs: 20 }
  const options = { credentials, clock: systemClock, random: Math.random, userAgent: 'test', tuning }
  await using kubernetes = connectKubernetes(options)
  const stop = new AbortController()
  try {
    return await VERBS[verb](kubernetes, stop.signal)
  } finally {
    stop.abort()
  }
}

describe('forbidden, empty and truncated are three results', () => {
  it.each(TABLE)('of $verb', async ({ verb, empty, whenEmpty, whenForbidden }) => {
    expect(await ask(verb, forbidden)).toMatchObject(whenForbidden ?? blind('forbidden'))
    expect(await ask(verb, truncated(verb))).toMatchObject(blind(STREAMS.has(verb) ? 'unreachable' : 'truncated'))
    expect(await ask(verb, empty)).toMatchObject(whenEmpty)
  })
})
