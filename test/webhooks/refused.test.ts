import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { MAX_DELIVERY_BYTES } from '#/ports/store/deliveries.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { jobPayload, sign, toRequest, webhookWorld } from './webhook-world.ts'
import type { Sent } from './webhook-world.ts'

const without = (field: string): unknown => ({ ...jobPayload({}), [field]: undefined })
const PAYLOAD = jobPayload({})
const NOT_UTF8 = '\u{D800}'

const REFUSED: readonly (readonly [string, Sent, number, string])[] = [
  ['no signature', { payload: PAYLOAD, headers: { 'x-hub-signature-256': undefined } }, 401, 'bad-signature'],
  ['the SHA-1 of old', { payload: PAYLOAD, headers: { 'x-hub-signature-256': 'sha1=00' } }, 401, 'bad-signature'],
  [
    'a signature of another secret',
    { payload: PAYLOAD, headers: { 'x-hub-signature-256': sign(JSON.stringify(PAYLOAD), 'another') } },
    401,
    'bad-signature',
  ],
  [
    'a signature of another body',
    { payload: PAYLOAD, headers: { 'x-hub-signature-256': sign('{}') } },
    401,
    'bad-signature',
  ],
  ['no GUID', { payload: PAYLOAD, headers: { 'x-github-delivery': undefined } }, 400, 'malformed'],
  ['a GUID that is none', { payload: PAYLOAD, guid: 'a b' }, 400, 'malformed'],
  ['no event', { payload: PAYLOAD, headers: { 'x-github-event': undefined } }, 400, 'malformed'],
  ['no JSON', { payload: '{"action":' }, 400, 'malformed'],
  ['a form', { payload: `payload=${encodeURIComponent(JSON.stringify(PAYLOAD))}` }, 400, 'malformed'],
  ['nothing', { payload: '' }, 400, 'malformed'],
  ['another document', { payload: [PAYLOAD] }, 400, 'malformed'],
  ['no job', { payload: without('workflow_job') }, 400, 'malformed'],
  ['no repository', { payload: without('repository') }, 400, 'malformed'],
  ['no id', { payload: jobPayload({ id: undefined }) }, 400, 'malformed'],
  ['no status', { payload: jobPayload({ status: undefined }) }, 400, 'malformed'],
  ['labels that are no list', { payload: jobPayload({ labels: 'linux' }) }, 400, 'malformed'],
  ['a declared size of 30 MB', { payload: PAYLOAD, headers: { 'content-length': '31457280' } }, 413, 'too-large'],
]

describe('a delivery is refused and changes nothing', () => {
  it.each(REFUSED)('for %s', async (_, sent, status, reason) => {
    const world = webhookWorld()
    const answer = await world.send(sent)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({ status, reason })
    expect(world.counts()).toEqual({ [reason]: 1 })
    expect(await world.store.deliveries.pending(10)).toEqual([])
    expect(await world.worker.applyDue()).toBe(0)
    expect(await world.store.assignments.jobs({ limit: 10 })).toEqual([])
  })

  it('for a body that is larger than GitHub sends, however it is announced', async () => {
    const world = webhookWorld()
    const chunk = new Uint8Array(1024 * 1024)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += chunk.byteLength
        controller.enqueue(chunk)
      },
    })
    const request = { ...toRequest({ payload: '' }), body, duplex: 'half' as const }
    const answer = await world.app.request('/webhooks/github', request)
    expect([answer.status, await answer.json()]).toMatchObject([413, { reason: 'too-large' }])
    expect(sent).toBeLessThan(MAX_DELIVERY_BYTES + 4 * chunk.byteLength)
    expect(world.counts()).toEqual({ 'too-large': 1 })
  })

  it('for bytes that are no text', async () => {
    const world = webhookWorld()
    const body = Uint8Array.of(0x22, 0xff, 0x22)
    const headers = { ...toRequest({ payload: '' }).headers, 'x-hub-signature-256': sign(body) }
    const answer = await world.app.request('/webhooks/github', { method: 'POST', body, headers })
    expect([answer.status, await answer.json()]).toMatchObject([400, { reason: 'malformed' }])
  })

  it('where the store does not take it, so that GitHub records a failure', async () => {
    const store = memoryStore()
    const record = async (): Promise<never> => await Promise.reject(new StoreUnavailable('it is away'))
    const world = webhookWorld({ store: { ...store, deliveries: { ...store.deliveries, record } } })
    const answer = await world.send({ payload: PAYLOAD })
    expect([answer.status, await answer.json()]).toMatchObject([503, { reason: 'store-unavailable' }])
    expect(world.counts()).toEqual({ 'store-unavailable': 1 })
  })

  it('for another method', async () => {
    expect((await webhookWorld().app.request('/webhooks/github')).status).toBe(405)
  })
})

describe('a delivery of another event', () => {
  it.each(['ping', 'workflow_run', 'installation'])('is accepted and not kept: %s', async (event) => {
    const world = webhookWorld()
    const answer = await world.send({ payload: { zen: 'Keep it logically awesome.' }, event })
    expect([answer.status, await answer.json()]).toMatchObject([202, { stored: 'other-event' }])
    expect(world.counts()).toEqual({ 'other-event': 1 })
    expect(await world.store.deliveries.pending(10)).toEqual([])
  })
})

describe('a text that a database may refuse', () => {
  it('is stored and applied', async () => {
    const world = webhookWorld()
    await world.send({ payload: jobPayload({ name: `a\0${NOT_UTF8}` }) })
    await world.worker.applyDue()
    expect(world.counts()).toEqual({ applied: 1 })
  })
})
