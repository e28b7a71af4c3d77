import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import type { BusyboxPod } from '#test/cluster/pods.ts'
import { busyboxPod, createPod, untilPhase, untilPod } from '#test/cluster/pods.ts'

/** Ordinary work on the same node, so that a bundle is not about one pod alone. */
const NEIGHBOURS: readonly BusyboxPod[] = [
  {
    namespace: 'billing',
    name: 'invoice-api-76f5484d9b-82mlp',
    script: 'while :; do echo "$(date -u +%T) GET /v1/invoices 200 12ms"; sleep 5 & wait $!; done',
    metadata: { labels: { app: 'invoice-api' } },
    container: { name: 'invoice-api' },
  },
  {
    namespace: 'billing',
    name: 'ledger-sync-29912950-mccnj',
    script: 'echo "synced 1204 rows"',
    metadata: { labels: { app: 'ledger-sync' } },
    container: { name: 'sync' },
  },
  {
    namespace: 'kube-system',
    name: 'log-shipper-n4dfw',
    script: 'while :; do echo "level=info msg=\\"flushed 128 lines\\""; sleep 7 & wait $!; done',
    metadata: { labels: { app: 'log-shipper' } },
    container: { name: 'shipper' },
  },
]

export async function startNeighbours(cluster: ControlPlane): Promise<void> {
  await createNamespaces(cluster, ['billing', 'batch', 'ops'])
  for (const plan of NEIGHBOURS) await createPod(cluster, busyboxPod({ ...plan, memory: '32Mi' }))
  for (const plan of NEIGHBOURS) await untilPod(cluster, plan, hasStarted)
}

export async function createNamespaces(cluster: ControlPlane, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await cluster.callOk({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
    // Made here, because pods come before the controller that would make it.
    const path = `/api/v1/namespaces/${name}/serviceaccounts`
    await cluster.call({ method: 'POST', path, body: { metadata: { name: 'default' } } })
  }
}

function hasStarted({ status }: Pod): boolean {
  return status?.phase === 'Running' || status?.phase === 'Succeeded'
}

/** Things that happen to others at the same time, and that a careless rule would take for the subject's own. */
export type Decoy = 'oom-elsewhere' | 'delete-elsewhere'

export async function playDecoys(cluster: ControlPlane, decoys: readonly Decoy[]): Promise<void> {
  for (const decoy of decoys) await DECOYS[decoy](cluster)
}

const DECOYS: Readonly<Record<Decoy, (cluster: ControlPlane) => Promise<void>>> = {
  'oom-elsewhere': async (cluster) => {
    const name = { namespace: 'batch', name: nextName('report-render') }
    await createPod(
      cluster,
      busyboxPod({ ...name, script: 'tail /dev/zero', memory: '24Mi', container: { name: 'render' } }),
    )
    await untilPhase(cluster, name, 'Failed')
  },
  'delete-elsewhere': async (cluster) => {
    const name = { namespace: 'batch', name: nextName('thumbnailer') }
    await createPod(cluster, busyboxPod({ ...name, script: 'sleep 600', container: { name: 'thumbnailer' } }))
    await untilPhase(cluster, name, 'Running')
    await cluster.kubectl(['delete', 'pod', '-n', name.namespace, name.name])
  },
}

let made = 0
function nextName(prefix: string): string {
  made += 1
  return `${prefix}-${(made * 7919).toString(36).padStart(5, 'x')}`
}
