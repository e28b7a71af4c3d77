import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { formatProblems } from './published-formats.ts'
import type { PublishedFormat } from './published-formats.ts'

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }

/** A service on loopback that accepts what its published format allows, and answers 400 to anything else. */
export type ReceivingServer = AsyncDisposable & {
  readonly url: string
  readonly received: Received[]
  /** Replaces the usual answer to the next requests. */
  readonly answers: ((response: ServerResponse) => void)[]
}

/** Part of the URL's path; it must appear nowhere else. */
export const ADDRESS_SECRET = 'T0SECRETPATH0B0XXXX'

export async function startReceiving(format: PublishedFormat): Promise<ReceivingServer> {
  const received: Received[] = []
  const answers: ReceivingServer['answers'] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body })
      const answer = answers.shift()
      if (answer !== undefined) return answer(response)
      const problems = formatProblems(format, JSON.parse(body))
      response.writeHead(problems.length === 0 ? 200 : 400).end(problems.length === 0 ? 'ok' : 'invalid_blocks')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a TCP port has such an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/services/${ADDRESS_SECRET}`,
    received,
    answers,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export function answering(status: number, headers: Readonly<Record<string, string>> = {}, body = '') {
  return (response: ServerResponse): void => void response.writeHead(status, headers).end(body)
}
