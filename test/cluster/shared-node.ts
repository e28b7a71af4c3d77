import type { AccessFacts } from './access.ts'
import { toAccessFacts, reachControlPlane } from './access.ts'
import type { NodeCluster } from './cluster.ts'
import type { ClusterNode } from './node.ts'

type NodeFacts = Pick<ClusterNode, 'name' | 'containerdSocket' | 'kubeletRoot' | 'podLogs' | 'cgroups' | 'journal'> & {
  readonly pids: { readonly kubelet: number; readonly containerd: number }
}

/** The shared node in a form that test files can receive. */
export interface SharedNode {
  readonly access: AccessFacts
  readonly node: NodeFacts
}

export function describeSharedNode(cluster: NodeCluster): SharedNode {
  const { name, containerdSocket, kubeletRoot, podLogs, cgroups, journal, kubeletPid, containerdPid } = cluster.node
  const pids = { kubelet: kubeletPid(), containerd: containerdPid() }
  return {
    access: toAccessFacts(cluster),
    node: { name, containerdSocket, kubeletRoot, podLogs, cgroups, journal, pids },
  }
}

/** The same cluster in another process. Nothing of it can be stopped or broken from there. */
export function reachSharedNode({ access, node }: SharedNode): NodeCluster {
  const { pids, ...facts } = node
  const refuse = (): Promise<never> =>
    Promise.reject(
      new Error('other test files use this node too: a test that breaks one needs describeWithPrivateNode'),
    )
  return {
    ...reachControlPlane(access),
    killApiServer: refuse,
    startApiServer: refuse,
    compactEtcd: refuse,
    stop: refuse,
    [Symbol.asyncDispose]: refuse,
    node: {
      ...facts,
      kubeletPid: () => pids.kubelet,
      containerdPid: () => pids.containerd,
      killKubelet: refuse,
      startKubelet: refuse,
      killContainerd: refuse,
      startContainerd: refuse,
    },
  }
}
