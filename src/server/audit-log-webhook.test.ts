import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { auditLogWebhook, MOST_BODY_BYTES } from './audit-log-webhook.ts'
import { webhookGuard } from '#/server/access/auth-webhook.ts'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import { askChecked } from '#test/server/checked-api.ts'

function served({ isRecording = true } = {}): { app: Hono; taken: unknown[]; counted: unknown[] } {
  const taken: unknown[] = []
  const counted: unknown[] = []
  const audit = auditLogWebhook({
    guard: webhookGuard({
      token: { judge: async (given) => (given === 'right' ? 'right' : 'wrong'), fault: async () => null },
      peerAddress: () => '127.0.0.1',
      clock: { now: () => 0 },
    }),
    take: (events) => {
      taken.push(...events)
      return isRecording ? 1 : null
    },
    received: (outcome) => counted.push(outcome),
  })
  const routes = [{ path: '/v1/audit', handler: audit }]
  const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log: { error: () => {} }, routes })
  return { app, taken, counted }
}

const list = (items: readonly unknown[]) => ({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items })
const sent = (body: NonNullable<RequestInit['body']>, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: 'Bearer right', 'content-type': 'application/json', ...headers },
  body,
})

const MEBIBYTE = 1024 * 1024

describe('the audit webhook', () => {
  it('takes what an API server sends', async () => {
    const { app, taken, counted } = served()
    const events = [auditLogEvent({ at: 1000 }), auditLogEvent({ at: 2000, verb: 'get' })]
    const answer = await askChecked(app, '/v1/audit', sent(JSON.stringify(list(events))))
    expect(await answer.json()).toEqual({ schemaVersion: 1, received: 2, kept: 1 })
    expect([taken, counted]).toEqual([events, [{ kept: 1, passed: 1 }]])
  })

  it.each([
    ['without a token', { authorization: '' }, 401],
    ['with a wrong one', { authorization: 'Bearer wrong' }, 401],
  ])('takes nothing %s, not even on this machine', async (_, headers, status) => {
    const { app, taken } = served()
    const answer = await askChecked(app, '/v1/audit', sent(JSON.stringify(list([])), headers))
    expect([answer.status, taken]).toEqual([status, []])
  })

  it.each([
    ['what is no JSON', '{', 400],
    ['another list', JSON.stringify({ ...list([]), kind: 'PodList' }), 400],
    ['another version', JSON.stringify({ ...list([]), apiVersion: 'audit.k8s.io/v2' }), 400],
    ['events that are none', JSON.stringify(list([5])), 400],
    ['nothing', '', 400],
  ])('refuses %s', async (_, body, status) => {
    const { app, taken } = served()
    expect([(await askChecked(app, '/v1/audit', sent(body))).status, taken]).toEqual([status, []])
  })

  it('refuses a body that is packed, too large, or turns out to be', async () => {
    const { app, taken } = served()
    const ask = async (init: RequestInit) => (await askChecked(app, '/v1/audit', init)).status
    expect(await ask(sent('{}', { 'content-encoding': 'gzip' }))).toBe(415)
    expect(await ask(sent('{}', { 'content-length': String(MOST_BODY_BYTES + 1) }))).toBe(413)
    let sentBytes = 0
    const long = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (sentBytes > MOST_BODY_BYTES + 4 * MEBIBYTE) return controller.close()
        sentBytes += MEBIBYTE
        controller.enqueue(new Uint8Array(MEBIBYTE))
      },
    })
    const streamed: RequestInit & { readonly duplex: 'half' } = { ...sent(long), duplex: 'half' }
    expect(await ask(streamed)).toBe(413)
    expect(taken).toEqual([])
  })

  it('holds few batches at once', async () => {
    const { app } = served()
    const open: ReadableStreamDefaultController<Uint8Array>[] = []
    const waiting = Array.from({ length: 4 }, () => {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void open.push(controller) })
      const init: RequestInit & { readonly duplex: 'half' } = { ...sent(body), duplex: 'half' }
      return Promise.resolve(app.request('/v1/audit', init))
    })
    // Each of them has been let in by the guard when the question after it has.
    await new Promise((resolve) => setImmediate(resolve))
    expect((await askChecked(app, '/v1/audit', sent(JSON.stringify(list([]))))).status).toBe(429)
    for (const controller of open) controller.close()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect((await askChecked(app, '/v1/audit', sent(JSON.stringify(list([]))))).status).toBe(200)
  })

  it('sends away while another replica records, so that it is sent there', async () => {
    const { app, counted } = served({ isRecording: false })
    const answer = await askChecked(app, '/v1/audit', sent(JSON.stringify(list([auditLogEvent({ at: 1 })]))))
    expect([answer.status, answer.headers.get('retry-after'), counted]).toEqual([503, '5', []])
  })

  it('is for sending only', async () => {
    const { app } = served()
    const answer = await askChecked(app, '/v1/audit', { headers: { authorization: 'Bearer right' } })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})
