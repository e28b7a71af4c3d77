import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { AnswerHead } from '#/protocol/answer.ts'
import type { PollAnswer } from '#/protocol/poll.ts'
import { PROTOCOL } from '#/protocol/version.ts'
import { SECRET } from './agents-server.ts'
import type { AgentsServer } from './agents-server.ts'

/** An agent by hand: one poll and one answer at a time, of the node n1 unless another is named. */
export const FIRST = randomUUID()
export const SECOND = randomUUID()

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export function poll({ url }: Pick<AgentsServer, 'url'>, more: object = {}, token = SECRET): Promise<Response> {
  const body = { protocol: PROTOCOL, node: 'n1', session: FIRST, watch: null, stored: null, gauges: null, ...more }
  return fetch(`${url}/v1/agent/poll`, { method: 'POST', headers: bearer(token), body: JSON.stringify(body) })
}

export async function polled(started: Pick<AgentsServer, 'url'>, more: object = {}): Promise<PollAnswer> {
  const answer = await poll(started, more)
  expect(answer.status).toBe(200)
  return (await answer.json()) as PollAnswer
}

export function reply(
  { url }: Pick<AgentsServer, 'url'>,
  id: string,
  body: string | Uint8Array<ArrayBuffer>,
  node = 'n1',
): Promise<Response> {
  return fetch(`${url}/v1/agent/answers/${id}?node=${node}`, { method: 'POST', headers: bearer(SECRET), body })
}

export const head = (document: AnswerHead): string => `${JSON.stringify(document)}\n`
export const df = head({ kind: 'files', files: { df: { kind: 'seen', value: 'a disk' } } })
