import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'

export type Answer = (response: ServerResponse) => void

export type DispatchServer = AsyncDisposable & {
  readonly url: string
  readonly requests: { readonly line: string; readonly token: string | undefined; readonly at: number }[]
  /** Until so many requests have come. */
  readonly came: (count: number) => Promise<void>
}

/** Gives each request the next answer, and the last one for ever. */
export async function startDispatchServer(answers: readonly Answer[]): Promise<DispatchServer> {
  const requests: DispatchServer['requests'] = []
  const listeners = new Set<() => void>()
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const answer = answers[Math.min(requests.length, answers.length - 1)]
      requests.push({
        line: `${request.method} ${request.url}`,
        token: request.headers.authorization,
        at: performance.now(),
      })
      for (const listener of listeners) listener()
      answer?.(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    came: async (count) => {
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (requests.length >= count) resolve()
        }
        listeners.add(look)
        look()
      })
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const JIT = `${'eyJhIjoi/+'.repeat(400)}==`

/** As a server that escapes slashes might print it. */
export const job: Answer = (response) => {
  const body = { slot: 'a1b2', runner: { id: 4711, name: 'linux-1-aa' }, jit: JIT }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body, null, 2).replaceAll('/', String.raw`\/`))
}

export const nothingYet: Answer = (response) => response.writeHead(204).end()

export function problem(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
    response.end(JSON.stringify({ type: 'about:blank', status, reason }))
  }
}

export const cutOff: Answer = (response) => {
  response.writeHead(200, { 'content-length': '9999' })
  response.write('{"jit": "abc')
  setImmediate(() => response.destroy())
}

export const never: Answer = () => undefined
