const SERVICE_ACCOUNT = /^system:serviceaccount:(?<namespace>[^:]+):(?<name>.+)$/

/** Kubernetes controllers that docs/contracts/causes.md names. */
const CONTROLLERS: ReadonlyMap<string, string> = new Map([
  ['node-controller', 'taint-eviction-controller'],
  ['taint-eviction-controller', 'taint-eviction-controller'],
  ['namespace-controller', 'namespace-controller'],
  ['pod-garbage-collector', 'pod-garbage-collector'],
])

/** The requester, as docs/contracts/causes.md spells it: users and service accounts keep the name of the audit log. */
export function toActor(user: string, userAgent: string | null): string {
  if (user.startsWith('system:node:')) return 'kubelet'
  if (user === 'system:kube-scheduler') return 'kube-scheduler'
  const account = SERVICE_ACCOUNT.exec(user)?.groups
  if (account === undefined) return user.startsWith('system:') ? user : `user:${user}`
  return toAccountActor(account['namespace'] ?? '', account['name'] ?? '', userAgent) ?? user
}

function toAccountActor(namespace: string, name: string, userAgent: string | null): string | null {
  const loop = /^signalbox\/(?<loop>[\w-]+)/.exec(userAgent ?? '')?.groups?.['loop']
  if (namespace === 'kube-system') return CONTROLLERS.get(name) ?? scaler(name)
  return loop !== undefined && name.includes('signalbox') ? `signalbox/${loop}` : scaler(name)
}

function scaler(name: string): string | null {
  if (/^karpenter(?:$|-)/.test(name)) return 'karpenter'
  return /(?:^|-)cluster-autoscaler(?:$|-)/.test(name) ? 'cluster-autoscaler' : null
}

/** The reason of the pod's DisruptionTarget condition shows which component did it. */
const DISRUPTORS: ReadonlyMap<string, string> = new Map([
  ['PreemptionByScheduler', 'kube-scheduler'],
  ['DeletionByTaintManager', 'taint-eviction-controller'],
  ['TerminationByKubelet', 'kubelet'],
  ['DeletionByPodGC', 'pod-garbage-collector'],
])

export function toDisruptor(reason: string | null): string | null {
  return DISRUPTORS.get(reason ?? '') ?? null
}
