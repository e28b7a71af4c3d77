import { describe, expect, it } from 'vitest'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { list } from './list.ts'
import type { Call, Transport } from './transport.ts'
import { DEFAULT_TUNING } from './tuning.ts'

const { signal } = new AbortController()

function makeTransport() {
  const calls: Call[] = []
  const body = Buffer.from('{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"7"},"items":[]}')
  const exchange = async (call: Call) => {
    calls.push(call)
    return { kind: 'answer' as const, status: 200, headers: {}, body }
  }
  // A list asks for pages and nothing else.
  return { calls, transport: { exchange } as unknown as Transport }
}

describe('a page of a list', () => {
  it.each([
    [undefined, '500'],
    [20, '20'],
    [5000, '500'],
  ])('of which %s objects are wanted has at most %s', async (pageSize, limit) => {
    const { calls, transport } = makeTransport()
    const request = { resource: RESOURCES.pods, ...(pageSize === undefined ? {} : { pageSize }) }
    expect(await list({ transport, tuning: DEFAULT_TUNING }, request, signal)).toEqual({ kind: 'none' })
    expect(calls.map(({ query }) => query?.['limit'])).toEqual([limit])
  })
})
