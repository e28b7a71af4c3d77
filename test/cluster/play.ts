/** `npm run cluster`: a cluster for a person, until Ctrl-C. */
import { once } from 'node:events'
import { BUSYBOX_IMAGE } from './busybox-image.ts'
import type { ApiServer } from './cluster.ts'
import { startApiServer, startNodeCluster } from './cluster.ts'
import { progress } from './command.ts'
import type { ClusterSupport } from './support.ts'
import { clusterSupport } from './support.ts'

async function play(): Promise<void> {
  const support = clusterSupport()
  if (support.kind === 'none') {
    console.error(`No cluster can be started here: ${support.missing}`)
    process.exitCode = 1
    return
  }
  const startedMs = performance.now()
  const cluster = await start(support)
  progress(`started in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  console.log(describeCluster(cluster, support))
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  progress('stopping ...')
  await cluster.stop()
  progress('everything is gone')
}

async function start(support: ClusterSupport): Promise<ApiServer> {
  if (support.kind === 'full') return await startNodeCluster()
  if (support.kind === 'api-server-only') progress(`an API server only, without a node. ${support.missing}`)
  return await startApiServer({ controllers: support.kind === 'api-server-only' && support.controllers })
}

function describeCluster(cluster: ApiServer, support: ClusterSupport): string {
  const overrides = JSON.stringify({ spec: { hostNetwork: true } })
  const runPod = `kubectl run hello --image=${BUSYBOX_IMAGE} --restart=Never --overrides='${overrides}' -- sh -c 'echo hello; sleep 600'`
  const examples =
    support.kind === 'full' ? ['kubectl get nodes', runPod, 'kubectl logs hello', 'journalctl -t kubelet -f'] : []
  return [
    '',
    `  export KUBECONFIG=${cluster.kubeconfig}`,
    '',
    ...['kubectl get namespaces', ...examples, `tail -f ${cluster.auditLog}`].map((line) => `  ${line}`),
    '',
    'Ctrl-C stops it and removes everything.',
  ].join('\n')
}

await play()
