import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** As the API server says that it has no such object. */
export function toAbsent(kind: string, name: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404, details: { kind, name } }
}

/** An API server on loopback that serves only some documents, and a kubeconfig for it. */
export type AnsweringCluster = AsyncDisposable & { readonly url: string; readonly kubeconfig: string }

export function toList(items: readonly object[]): object {
  return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items }
}

export async function serveDocuments(
  namespace: string,
  documentAt: (path: string) => object | undefined,
): Promise<AnsweringCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-answering-'))
  const server = createServer((request, response) => {
    const document = documentAt(new URL(request.url ?? '', 'http://x').pathname)
    const isAbsent = document === undefined || 'code' in document
    response.writeHead(isAbsent ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document ?? { kind: 'Status', code: 404, reason: 'NotFound' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}`
  const kubeconfig = join(folder, 'kubeconfig')
  const config = {
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'x',
  }
  await writeFile(kubeconfig, JSON.stringify(config))
  const dispose = async (): Promise<void> => {
    server.close()
    await rm(folder, { recursive: true })
  }
  return { url, kubeconfig, [Symbol.asyncDispose]: dispose }
}
