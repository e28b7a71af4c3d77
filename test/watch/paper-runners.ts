import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import { busyboxPod, createPod, podPath } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'

/** Runner pods that no node runs: the API server is real, and the test writes what a kubelet would. */

const LABELS = { 'actions.github.com/scale-set-name': 'linux' }

export async function paperRunner(cluster: ControlPlane, { namespace, name }: PodName, note = ''): Promise<Pod> {
  const metadata = { namespace, name, labels: LABELS, annotations: { note } }
  const container = { name: 'runner' }
  const pod = await createPod(
    cluster,
    busyboxPod({ namespace, name, script: 'true', metadata, container, spec: { schedulerName: 'nobody' } }),
  )
  await setState(cluster, { namespace, name }, 'Running', { running: { startedAt: now() } })
  return pod
}

/** As the kubelet reports a kill for memory. */
export async function killForMemory(cluster: ControlPlane, pod: PodName): Promise<void> {
  const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt: now(), finishedAt: now() }
  await setState(cluster, pod, 'Failed', { terminated })
}

async function setState(cluster: ControlPlane, pod: PodName, phase: string, state: object): Promise<void> {
  const runner = { name: 'runner', image: 'runner:1', imageID: 'x', ready: false, restartCount: 0, state }
  const body = { status: { phase, startTime: now(), containerStatuses: [runner] } }
  const contentType = 'application/merge-patch+json'
  await cluster.callOk({ method: 'PATCH', path: `${podPath(pod)}/status`, contentType, body })
}

function now(): string {
  return new Date().toISOString()
}
