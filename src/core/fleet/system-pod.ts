import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { textAt } from '#/core/basics/fields.ts'

/** A pod's role in the cluster, from its name or labels. */
export type SystemRole = 'cni' | 'csi' | 'dns' | 'api-server'

const CNI =
  /(?:^|[-_])(?:calico|canal|cilium|flannel|weave|aws-node|azure-cn[is]|kindnet|antrea|kube-router|kube-ovn|ovn|ovnkube|ovs|multus|anetd|netd)(?:$|[-_])/
const CSI = /(?:^|[-_])csi(?:$|[-_])/
const DNS = /(?:^|[-_])(?:coredns|kube-dns|node-local-dns|nodelocaldns)(?:$|[-_])/
/** Without etcd the API server cannot answer. */
const API_SERVER = /^(?:kube-apiserver|etcd)(?:$|-)/

/** A network plugin is a DaemonSet; its operators and controllers may restart without affecting pods. */
export function systemRole(pod: Pick<PodRecord, 'name' | 'labels' | 'ownerKinds'>): SystemRole | null {
  const owner = pod.ownerKinds[0] ?? { kind: '', name: pod.name }
  const names = [owner.name, textAt(pod.labels, 'k8s-app'), textAt(pod.labels, 'app.kubernetes.io/name')]
  const isNamed = (pattern: RegExp): boolean => names.some((name) => name !== null && pattern.test(name))
  if (owner.kind === 'DaemonSet' && isNamed(CNI)) return 'cni'
  if (owner.kind === 'DaemonSet' && isNamed(CSI)) return 'csi'
  if (isNamed(DNS)) return 'dns'
  const isStatic = owner.kind === '' || owner.kind === 'Node'
  return isStatic && API_SERVER.test(textAt(pod.labels, 'component') ?? pod.name) ? 'api-server' : null
}
