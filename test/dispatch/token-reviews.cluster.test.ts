import { expect, test } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { POOL_LABEL } from '#/core/pools/own-pod.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { DispatchAnswer } from '#/runtime/dispatch/answer.ts'
import { createTokenReviews } from '#/runtime/dispatch/token-reviews.ts'
import { makeAccount, tokenFor } from '#test/agent/bound-token.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { createNamespace, createPod, podPath } from '#test/cluster/pods.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { connectBy } from '#test/contracts/kubernetes-means.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { dispatchWorld } from './dispatch-world.ts'
import { ownPod, PutPods } from './own-pods.ts'

const ACCOUNT = 'linux'
const AUDIENCE = 'signalbox-dispatch'

/** A pod of the pool `linux` that no node runs. */
async function podIn(cluster: ApiServer, namespace: string, name: string) {
  const labels = { [POOL_LABEL]: 'linux' }
  const containers = [{ name: 'runner', image: 'none' }]
  const spec = { serviceAccountName: ACCOUNT, automountServiceAccountToken: false, containers }
  const pod = await createPod(cluster, { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec })
  return { name, uid: pod.metadata?.uid ?? '' }
}

async function setUp(cluster: ApiServer) {
  const namespace = await createNamespace(cluster, 'runners')
  await makeAccount(cluster, namespace, ACCOUNT)
  const kubernetes = connectBy(cluster.kubeconfig)
  const clock = createHandClock()
  const gone = new PutPods()
  const reviews = createTokenReviews({ kubernetes, ownPods: gone, clock })
  const world = dispatchWorld(memoryStore(), declarePool('linux', { namespace }), reviews)
  /** As a poller does: it asks again while the API server does not answer in time. */
  const ask = async (token: string): Promise<DispatchAnswer> =>
    await until({
      what: 'an answer about the token',
      timeoutMs: 240_000,
      probe: async () => {
        const answer = await world.dispatch.ask(token, { forMs: 0, signal: new AbortController().signal })
        return answer.kind === 'refused' && answer.reason === 'cluster-unavailable' ? undefined : answer
      },
    })
  const watched = async (name: string) => {
    const pod = await podIn(cluster, namespace, name)
    world.ownPods.put(ownPod(pod.uid, { name, namespace }))
    return pod
  }
  return { namespace, ask, watched, world, clock, gone, [Symbol.asyncDispose]: () => kubernetes[Symbol.asyncDispose]() }
}

describeWithApiServer('the API server says whose pod asks for a job', (cluster) => {
  test('lets the pod of the token wait', async () => {
    await using setup = await setUp(cluster())
    const { namespace, ask, watched } = setup
    const pod = await watched('linux-1')
    const token = await tokenFor(cluster(), { namespace, account: ACCOUNT, audience: AUDIENCE, pod })
    expect(await ask(token)).toEqual({ kind: 'no-job' })
  })

  test('refuses a token for another audience, a forged one, one bound to no pod, and that of a person', async () => {
    await using setup = await setUp(cluster())
    const { namespace, ask, watched } = setup
    const pod = await watched('linux-1')
    const own = { namespace, account: ACCOUNT }
    const elsewhere = await tokenFor(cluster(), { ...own, pod, audience: 'https://kubernetes.default.svc' })
    const unbound = await tokenFor(cluster(), { ...own, audience: AUDIENCE })
    for (const token of [elsewhere, unbound, 'nobodys-token', cluster().adminToken]) {
      expect(await ask(token)).toMatchObject({ kind: 'refused', reason: 'token-invalid' })
    }
  })

  test('refuses the token of a pod that was deleted, also where another pod has its name', async () => {
    await using setup = await setUp(cluster())
    const { namespace, ask, watched, clock } = setup
    const pod = await watched('linux-1')
    const token = await tokenFor(cluster(), { namespace, account: ACCOUNT, audience: AUDIENCE, pod })
    await cluster().callOk({
      method: 'DELETE',
      path: `${podPath({ namespace, name: 'linux-1' })}?gracePeriodSeconds=0`,
    })
    const successor = await watched('linux-1')
    expect(successor.uid).not.toBe(pod.uid)
    // The API server may have kept its own answer for a moment.
    const probe = async () => {
      clock.advance(60_000)
      const answer = await ask(token)
      return answer.kind === 'refused' ? answer : undefined
    }
    const refused = await until({ what: 'the token to be refused', timeoutMs: 240_000, probe })
    expect(refused).toMatchObject({ reason: 'token-invalid' })
  })

  test('refuses a token of another namespace, whatever its pod is called', async () => {
    await using setup = await setUp(cluster())
    const { ask, watched, world } = setup
    const own = await watched('linux-1')
    const foreign = await createNamespace(cluster(), 'foreign')
    await makeAccount(cluster(), foreign, ACCOUNT)
    const pod = await podIn(cluster(), foreign, 'linux-1')
    const token = await tokenFor(cluster(), { namespace: foreign, account: ACCOUNT, audience: AUDIENCE, pod })
    expect(await ask(token)).toMatchObject({ kind: 'refused', reason: 'pod-gone' })
    // Even if a pod with that UID were among ours.
    world.ownPods.put(ownPod(pod.uid, { name: 'linux-1', namespace: setup.namespace }))
    expect(await ask(token)).toMatchObject({ kind: 'refused', reason: 'token-invalid' })
    expect(own.uid).not.toBe(pod.uid)
  })
})
