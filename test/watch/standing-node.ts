import type { NodeCluster } from '#test/cluster/cluster.ts'

const HEARTBEAT_MS = 3000

/**
 * A Node object without a kubelet that stays Ready and runs no pods. If every node is silent the controller blames
 * itself and evicts nobody.
 */
export async function standNode({ callOk, call }: NodeCluster, name: string): Promise<AsyncDisposable> {
  const metadata = { name, labels: { 'kubernetes.io/hostname': name } }
  await callOk({ method: 'POST', path: '/api/v1/nodes', body: { metadata, spec: { unschedulable: true } } })
  const beat = async (): Promise<void> => {
    const now = new Date().toISOString()
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }
    const body = { status: { conditions: [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }] } }
    const contentType = 'application/strategic-merge-patch+json'
    await call({ method: 'PATCH', path: `/api/v1/nodes/${name}/status`, contentType, body })
  }
  await beat()
  const beating = setInterval(() => void beat().catch(() => undefined), HEARTBEAT_MS)
  return { [Symbol.asyncDispose]: async () => clearInterval(beating) }
}
