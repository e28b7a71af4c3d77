import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { runnerPod } from './fake-cluster.ts'

/** An API server on loopback that knows runner pods and nothing else, for the real `serve`. */
export type PaperCluster = AsyncDisposable & {
  readonly kubeconfig: string
  readonly run: (pod: PaperPod) => void
  /** The kernel killed its container for its memory, as a kubelet reports it. */
  readonly kill: (pod: PaperPod) => void
}

export type PaperPod = { readonly name: string; readonly node: string }

const NAMESPACE = 'runners'

export async function startPaperCluster(folder: string): Promise<PaperCluster> {
  const pods = new Map<string, KubeObject>()
  const watches = new Set<ServerResponse>()
  /** Each has the version of its position: a watch begins after the version of its list. */
  const changes: string[] = []
  const server = createServer((request, response) => {
    request.resume()
    const url = new URL(request.url ?? '', 'http://x')
    const last = url.pathname.split('/').at(-1) ?? ''
    if (url.searchParams.get('watch') === 'true') {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      if (last !== 'pods') return
      for (const line of changes.slice(Number(url.searchParams.get('resourceVersion')))) response.write(line)
      watches.add(response)
      return
    }
    if (last === 'log') return void response.writeHead(200, { 'content-type': 'text/plain' }).end()
    const answer = COLLECTIONS.has(last)
      ? toList(last === 'pods' ? [...pods.values()] : [], changes.length)
      : pods.get(last)
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { kind: 'Status', apiVersion: 'v1', code: 404, reason: 'NotFound' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, JSON.stringify(toKubeconfig(`http://127.0.0.1:${port}`)))
  const put = (type: 'ADDED' | 'MODIFIED', object: KubeObject): void => {
    const resourceVersion = String(changes.length + 1)
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion } }
    const line = `${JSON.stringify({ type, object: versioned })}\n`
    pods.set(object.metadata.name, versioned)
    changes.push(line)
    for (const watch of watches) watch.write(line)
  }
  return {
    kubeconfig,
    run: (pod) => put('ADDED', onNode(pod, runnerPod({ name: pod.name }))),
    kill: (pod) => {
      const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: new Date().toISOString() }
      put('MODIFIED', onNode(pod, runnerPod({ name: pod.name, phase: 'Failed', state: { terminated } })))
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const COLLECTIONS: ReadonlySet<string> = new Set(['pods', 'events', 'ephemeralrunners', 'nodes', 'resourcequotas'])

function toList(items: readonly object[], version: number): object {
  return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: String(version) }, items }
}

function onNode({ node }: PaperPod, pod: KubeObject): KubeObject {
  return { ...pod, spec: { ...(pod['spec'] as object), nodeName: node } }
}

function toKubeconfig(url: string): object {
  return {
    clusters: [{ name: 'c', cluster: { server: url } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: NAMESPACE } }],
    'current-context': 'x',
  }
}
