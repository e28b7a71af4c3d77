import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '#/adapters/clock.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import type { HttpMeans } from '#/adapters/http/exchange.ts'

export type Asked = { readonly url: URL; readonly headers: IncomingHttpHeaders }

/** A service on loopback that answers as a test says, and what it was asked. */
export type HttpService = AsyncDisposable & {
  readonly url: string
  readonly asked: Asked[]
  readonly http: HttpMeans
}

export async function serveHttp(answer: (asked: Asked, response: ServerResponse) => void): Promise<HttpService> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const one = { url: new URL(request.url ?? '/', 'http://service'), headers: request.headers }
    asked.push(one)
    answer(one, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dispatchers = makeDispatchers({ wayTo: () => null, tls: {}, connections: 2 })
  return {
    // A server that listens on a TCP port has such an address.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    http: { dispatchers, clock: systemClock },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await dispatchers.close()
    },
  }
}

export function sendJson(
  response: ServerResponse,
  value: unknown,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}
