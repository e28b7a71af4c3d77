/** Who may delete a working runner: parts of Kubernetes that only carry out what has happened already. */
export type Exempt = { readonly group: string; readonly why: string } | { readonly user: string; readonly why: string }

const account = (name: string): string => `system:serviceaccount:kube-system:${name}`

/** As the API server sees them, with and without `--use-service-account-credentials`. */
export const EXEMPT: readonly Exempt[] = [
  { group: 'system:nodes', why: 'the kubelet removes the object after the pod has ended' },
  { user: account('generic-garbage-collector'), why: 'the owner of the object is gone' },
  { user: account('namespace-controller'), why: 'its namespace is being deleted' },
  { user: account('pod-garbage-collector'), why: 'its node is gone, or the pod has ended' },
  { user: account('node-controller'), why: 'its node does not answer any more' },
  { user: account('taint-eviction-controller'), why: 'its node has a NoExecute taint, as one that does not answer' },
  { user: 'system:kube-controller-manager', why: 'all of these, where they have no accounts of their own' },
]

export const EXEMPT_GROUPS = EXEMPT.flatMap((one) => ('group' in one ? [one.group] : []))
export const EXEMPT_USERS = EXEMPT.flatMap((one) => ('user' in one ? [one.user] : []))
