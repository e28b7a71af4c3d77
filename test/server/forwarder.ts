import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

export type Forwarder = AsyncDisposable & { readonly url: string }

/** Passes TCP on from another loopback address, as a mesh sidecar does for whoever reached the pod. */
export async function forwardFrom(localAddress: string, port: number): Promise<Forwarder> {
  const server = createServer((incoming) => {
    const outgoing = connect({ host: '127.0.0.1', port, localAddress })
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
    },
  }
}
