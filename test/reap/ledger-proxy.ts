import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Where a write is held: it has not reached the server, or its answer has not reached the command. */
export type Moment = 'before' | 'after'

/** Between a command and `signalbox serve`. Reads pass. */
export type LedgerProxy = AsyncDisposable & {
  readonly url: string
  /** The writes of the ledger and of evidence, in order. */
  readonly writes: readonly string[]
  /** Null: nobody answers, and connections end. */
  target: string | null
  /** Called at both moments of each write, with its number. */
  onWrite: (moment: Moment, number: number) => Promise<void>
}

export async function startLedgerProxy(target: string): Promise<LedgerProxy> {
  const writes: string[] = []
  const proxy: { -readonly [K in 'target' | 'onWrite' | 'writes']: LedgerProxy[K] } = {
    target,
    writes,
    onWrite: async () => undefined,
  }
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = request
    const body = await buffer(request)
    const isWrite = method === 'POST' && /^\/v1\/(?:ledger|evidence)\//u.test(url)
    if (isWrite) writes.push(url.replaceAll(/\d+/gu, 'N').replace('/vN/', '/v1/'))
    const number = writes.length
    if (isWrite) await proxy.onWrite('before', number)
    if (proxy.target === null) return void response.destroy()
    const content = { 'content-type': request.headers['content-type'] ?? 'application/json' }
    const answer = await fetch(`${proxy.target}${url}`, method === 'POST' ? { method, body, headers: content } : {})
    const text = await answer.text()
    if (isWrite) await proxy.onWrite('after', number)
    if (proxy.target === null) return void response.destroy()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
    response.end(text)
  }
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
}
