import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'

export type RawRequest = {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Answers requests with bytes that a test chooses, which need not be HTTP. One request for each connection. */
export async function serveRaw(
  answer: (request: RawRequest, url: string) => Promise<Uint8Array>,
): Promise<AsyncDisposable & { readonly url: string }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // A client may close the connection in the middle of a malformed answer.
    socket.on('error', () => undefined)
    let received = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const request = parse(received)
      if (request === null) return
      socket.removeAllListeners('data')
      void answer(request, url).then((bytes) => socket.end(bytes))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a TCP port has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Null while a part has not arrived yet. */
function parse(received: Buffer): RawRequest | null {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = received.subarray(0, end).toString().split('\r\n')
  const [method = '', target = ''] = first.split(' ')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = received.subarray(end + 4)
  return body.byteLength < Number(headers['content-length'] ?? 0)
    ? null
    : { method, target, headers, body: body.toString() }
}
