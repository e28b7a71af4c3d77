import { expect, test } from 'vitest'
import { createAuthenticate } from '#/server/agents/authenticate.ts'
import type { Authenticate } from '#/server/agents/authenticate.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { createNamespace, createPod, podPath } from '#test/cluster/pods.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { connectBy } from '#test/contracts/kubernetes-means.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { makeAccount, tokenFor } from './bound-token.ts'

const ACCOUNT = 'signalbox-agent'
/** How long a refusal is cached. */
const REFUSED_MS = 5000

/** A pod that names a node; no kubelet runs it. */
async function podOn(cluster: ApiServer, namespace: string, { name, node, account = ACCOUNT }: PodPlan) {
  const containers = [{ name: 'main', image: 'none' }]
  const spec = { nodeName: node, serviceAccountName: account, automountServiceAccountToken: false, containers }
  const pod = await createPod(cluster, { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec })
  return { name, uid: pod.metadata?.uid ?? '' }
}
type PodPlan = { readonly name: string; readonly node: string; readonly account?: string }

async function setUp(cluster: ApiServer) {
  const namespace = await createNamespace(cluster, 'signalbox')
  await makeAccount(cluster, namespace, ACCOUNT)
  const kubernetes = connectBy(cluster.kubeconfig)
  const clock = createHandClock()
  const serviceAccount = `${namespace}/${ACCOUNT}`
  const once: Authenticate = createAuthenticate({ kubernetes, serviceAccount, secret: null, clock })
  /** Retries as an agent does: 503 means that the API server did not answer in time. */
  const authenticate = (token: string) =>
    until({
      what: 'an answer about the token',
      timeoutMs: 240_000,
      probe: async () => {
        const identity = await once(token)
        if (identity.kind !== 'refused' || identity.status !== 503) return identity
        clock.advance(REFUSED_MS)
        return undefined
      },
    })
  return { namespace, authenticate, clock, [Symbol.asyncDispose]: () => kubernetes[Symbol.asyncDispose]() }
}

describeWithApiServer('the API server says who an agent is', (cluster) => {
  test('is accepted by the token of its pod, for that node and our audience', async () => {
    await using setup = await setUp(cluster())
    const { namespace, authenticate } = setup
    const pod = await podOn(cluster(), namespace, { name: 'agent-1', node: 'node-1' })
    const token = await tokenFor(cluster(), { namespace, account: ACCOUNT, pod })
    expect(await authenticate(token)).toEqual({ kind: 'of-node', node: 'node-1' })
  })

  test('is refused with a token for another audience, a forged one, one of another account, or one bound to no pod', async () => {
    await using setup = await setUp(cluster())
    const { namespace, authenticate } = setup
    const own = { namespace, account: ACCOUNT }
    const pod = await podOn(cluster(), namespace, { name: 'agent-1', node: 'node-1' })
    const elsewhere = await tokenFor(cluster(), { ...own, pod, audience: 'https://kubernetes.default.svc' })
    expect(await authenticate(elsewhere)).toMatchObject({ kind: 'refused', status: 401 })
    expect(await authenticate('nobodys-token')).toMatchObject({ kind: 'refused', status: 401 })
    const unbound = await tokenFor(cluster(), own)
    expect(await authenticate(unbound)).toMatchObject({ status: 403, why: 'the token is not bound to a pod' })
    await makeAccount(cluster(), namespace, 'other')
    const others = await podOn(cluster(), namespace, { name: 'other', node: 'node-1', account: 'other' })
    const foreign = await tokenFor(cluster(), { namespace, account: 'other', pod: others })
    expect(await authenticate(foreign)).toMatchObject({
      status: 403,
      why: expect.stringContaining('service account') as string,
    })
    expect(await authenticate(cluster().adminToken)).toMatchObject({ kind: 'refused' })
  })

  test('is refused once the pod of its token is gone', async () => {
    await using setup = await setUp(cluster())
    const { namespace, authenticate, clock } = setup
    const pod = await podOn(cluster(), namespace, { name: 'agent-1', node: 'node-1' })
    const token = await tokenFor(cluster(), { namespace, account: ACCOUNT, pod })
    expect(await authenticate(token)).toMatchObject({ kind: 'of-node' })
    const path = `${podPath({ namespace, name: pod.name })}?gracePeriodSeconds=0`
    await cluster().callOk({ method: 'DELETE', path })
    const successor = await podOn(cluster(), namespace, { name: 'agent-1', node: 'node-2' })
    expect(await authenticate(token)).toMatchObject({ kind: 'of-node', node: 'node-1' })
    clock.advance(60_000)
    expect(await authenticate(token)).toMatchObject({ kind: 'refused' })
    const next = await tokenFor(cluster(), { namespace, account: ACCOUNT, pod: successor })
    expect(await authenticate(next)).toEqual({ kind: 'of-node', node: 'node-2' })
  })
})
