import type { ControlPlane } from '#test/cluster/control-plane.ts'

export type TokenWish = {
  readonly namespace: string
  readonly account: string
  readonly audience?: string
  /** Binds the token to this pod; without it the token is unbound. */
  readonly pod?: { readonly name: string; readonly uid: string }
}

/** A token as the kubelet would project it. */
export async function tokenFor(cluster: ControlPlane, wish: TokenWish): Promise<string> {
  const { namespace, account, audience = 'signalbox-agent', pod } = wish
  const boundObjectRef = pod === undefined ? undefined : { kind: 'Pod', apiVersion: 'v1', ...pod }
  const answer = await cluster.callOk({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: [audience], expirationSeconds: 600, boundObjectRef },
    },
  })
  return (answer as { readonly status: { readonly token: string } }).status.token
}

export async function makeAccount(cluster: ControlPlane, namespace: string, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`
  await cluster.callOk({ method: 'POST', path, body: { metadata: { name } } })
}
