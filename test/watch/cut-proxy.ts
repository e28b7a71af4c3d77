import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { ControlPlane } from '#test/cluster/control-plane.ts'

export type CutProxy = AsyncDisposable & {
  /** Leads to the API server through this proxy. */
  readonly kubeconfig: string
  /** Open connections break, new ones are closed at once. */
  readonly cut: () => void
  readonly restore: () => void
}

/** A proxy for one client of the API server; other clients connect directly. */
export async function cutProxy(cluster: ControlPlane, kubeconfig: string): Promise<CutProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(cluster.port, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const text = await readFile(cluster.kubeconfig, 'utf8')
  await writeFile(kubeconfig, text.replaceAll(cluster.url, `https://127.0.0.1:${port}`), { mode: 0o600 })
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    kubeconfig,
    cut: () => {
      isCut = true
      breakAll()
    },
    restore: () => {
      isCut = false
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      breakAll()
    },
  }
}
