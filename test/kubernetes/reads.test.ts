import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { connectKubernetes } from '#/adapters/kubernetes/connect.ts'
import type { Answer } from './answering-server.ts'
import { answerJson, startAnsweringServer } from './answering-server.ts'
import type { Outcome, Verb } from './verbs.ts'
import { SOUND, VERBS } from './verbs.ts'

async function ask(verb: Verb, answer: Answer): Promise<Outcome> {
  await using server = await startAnsweringServer(answer)
  const { credentials } = server
  const options = { credentials, clock: systemClock, random: Math.random, userAgent: 'test' }
  await using kubernetes = connectKubernetes(options)
  const stop = new AbortController()
  try {
    return await VERBS[verb](kubernetes, stop.signal)
  } finally {
    stop.abort()
  }
}

const text =
  (status: number, type: string, body: string): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': type }).end(body)

const PAGE = '<html><body>Please sign in</body></html>'
const blind = (code: string): object => ({ kind: 'blind', reason: { code } })

describe('a 404', () => {
  const absent = { kind: 'Status', code: 404, reason: 'NotFound' }

  it.each<readonly [string, Answer, object]>([
    [
      'that names the object means none',
      answerJson(404, { ...absent, details: { name: 'pod', kind: 'pods' } }),
      { kind: 'none' },
    ],
    ['that names none is about the kind', answerJson(404, { ...absent, details: {} }), blind('unsupported')],
    ['in plain text is about the path', text(404, 'text/plain', '404 page not found'), blind('unsupported')],
    ['in HTML is not of the API server', text(404, 'text/html', PAGE), blind('malformed')],
  ])('%s', async (_, answer, result) => {
    expect(await ask('get', answer)).toMatchObject(result)
  })
})

describe('a success', () => {
  it('with another object than the requested one is malformed', async () => {
    const metadata = { name: 'other', uid: 'u', resourceVersion: '1' }
    expect(await ask('get', answerJson(200, { ...SOUND.get, metadata }))).toMatchObject(blind('malformed'))
  })

  it.each(['logTail', 'followLog'] as const)('with a page instead of a log is malformed for %s', async (verb) => {
    expect(await ask(verb, text(200, 'text/html; charset=utf-8', PAGE))).toMatchObject(blind('malformed'))
  })
})

describe('a list that does not end', () => {
  it.each([
    ['full', SOUND.list, { maxItems: 2 }, 3],
    ['empty', { ...SOUND.list, items: [] }, { maxPages: 4 }, 4],
  ])('is left, if its pages are %s, at the limit', async (_, page, tuning, requests) => {
    let asked = 0
    await using server = await startAnsweringServer((request, response) => {
      asked += 1
      answerJson(200, { ...page, metadata: { resourceVersion: '1', continue: 'more' } })(request, response)
    })
    const { credentials } = server
    const options = { credentials, clock: systemClock, random: Math.random, userAgent: 'test', tuning }
    await using kubernetes = connectKubernetes(options)
    expect(await VERBS.list(kubernetes, new AbortController().signal)).toMatchObject(blind('too-large'))
    expect(asked).toBe(requests)
  })
})

describe('the verdict on a token', () => {
  const user = {
    username: 'system:serviceaccount:ns:runner',
    groups: ['system:serviceaccounts'],
    extra: {
      'authentication.kubernetes.io/pod-name': ['pod'],
      'authentication.kubernetes.io/pod-uid': ['uid-1'],
    },
  }
  const valid = { authenticated: true, audiences: ['us'], user }

  it.each<readonly [string, object, object]>([
    ['is valid with its pod', valid, { value: { kind: 'valid', pod: { name: 'pod', uid: 'uid-1' } } }],
    [
      'is valid without one',
      { ...valid, user: { username: 'u' } },
      { value: { kind: 'valid', pod: null, groups: [] } },
    ],
    ['is invalid for another audience', { ...valid, audiences: ['them'] }, { value: { kind: 'invalid' } }],
    ['is invalid if no audience was checked', { ...valid, audiences: undefined }, { value: { kind: 'invalid' } }],
    ['is invalid if it is empty', {}, { value: { kind: 'invalid' } }],
    [
      'has the message of the server',
      { error: 'token expired' },
      { value: { kind: 'invalid', message: 'token expired' } },
    ],
    ['is blind if it is malformed', { ...valid, authenticated: 'yes' }, blind('malformed')],
    ['is none without a user', { ...valid, user: undefined }, blind('malformed')],
  ])('%s', async (_, status, verdict) => {
    expect(await ask('reviewToken', answerJson(201, { kind: 'TokenReview', status }))).toMatchObject(verdict)
  })
})
