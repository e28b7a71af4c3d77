import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FetchHandler } from './fetch-handler.ts'
import { HungUp } from './faults.ts'

const LOOPBACK = '127.0.0.1'
const MAX_BODY_BYTES = 1_048_576

export type ServedGitHub = AsyncDisposable & {
  /** Without a path; an enterprise server's `/api/v3` is the caller's to add. */
  readonly url: string
  /**
   * Ends the server and its open connections. Rejects with what the handler threw meanwhile, so that no test passes
   * over a broken simulation or a failed check.
   */
  readonly stop: () => Promise<void>
}

/** The handler on a free port of the loopback, over real HTTP. */
export async function serveGitHub(handler: FetchHandler): Promise<ServedGitHub> {
  const crashes: unknown[] = []
  const server = createServer((incoming, outgoing) => {
    void respond(handler, incoming, outgoing, crashes)
  })
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  // A server that listens on a TCP port has such an address.
  const { port } = server.address() as AddressInfo

  const stop = async (): Promise<void> => {
    if (server.listening) {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
    const thrown = crashes.splice(0)
    if (thrown.length > 0) throw new AggregateError(thrown, `the simulated GitHub failed: ${String(thrown[0])}`)
  }
  return { url: `http://${LOOPBACK}:${port}`, stop, [Symbol.asyncDispose]: stop }
}

async function respond(
  handler: FetchHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  crashes: unknown[],
): Promise<void> {
  try {
    // A caller that leaves in the middle of its request is an ordinary thing.
    const request = await toRequest(incoming, outgoing).catch(hangUp)
    const response = await handler(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    // Who opens a stream that is silent at first must not wait for its first byte.
    outgoing.flushHeaders()
    const body: AsyncIterable<Uint8Array> | null = response.body
    if (body !== null) for await (const chunk of body) await sent(outgoing, chunk)
    outgoing.end()
  } catch (error) {
    outgoing.destroy()
    if (!(error instanceof HungUp)) crashes.push(error)
  }
}

function hangUp(cause: unknown): never {
  throw new HungUp('the request did not arrive', { cause })
}

/** Waits for the bytes to leave, or a connection that is broken on purpose would break before them. */
function sent(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    outgoing.write(chunk, () => resolve())
  })
}

async function toRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Request> {
  const { method = 'GET', headers } = incoming
  const body = await readBody(incoming)
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  )
  const url = new URL(incoming.url ?? '/', `http://${headers.host ?? LOOPBACK}`)
  return new Request(url, { method, headers: pairs, signal: gone.signal, ...(body === '' ? {} : { body }) })
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming) {
    const part = Buffer.from(chunk as Uint8Array)
    bytes += part.byteLength
    if (bytes > MAX_BODY_BYTES) throw new HungUp('the body is too large')
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString('utf8')
}
