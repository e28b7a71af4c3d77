import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { CredentialSource } from '#/adapters/kubernetes/credentials.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server on loopback that sends the answers of a test, valid or not. */
export type AnsweringServer = AsyncDisposable & {
  readonly credentials: CredentialSource
  /** For the next requests. */
  answer: Answer
}

export async function startAnsweringServer(answer: Answer): Promise<AnsweringServer> {
  const server = createServer((request, response) => {
    request.resume()
    running.answer(request, response)
  })
  server.on('clientError', (_, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const running: AnsweringServer = {
    credentials: fixedCredentials(port),
    answer,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return running
}

export const SECRET_TOKEN = 'the-token-that-nobody-may-see'

export function fixedCredentials(port: number): CredentialSource {
  const credentials = {
    kind: 'ready',
    server: new URL(`http://127.0.0.1:${port}`),
    headers: { authorization: `Bearer ${SECRET_TOKEN}` },
    tls: {},
    proxyUrl: null,
    namespace: null,
  } as const
  return { current: async () => credentials, renew: async () => credentials }
}

export function answerJson(status: number, value: unknown): Answer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
}
