import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { until } from '#test/cluster/until.ts'
import { gather, gatherWatch } from './kubernetes-gather.ts'
import { connectBy, doneObject, makeConfigMap, makeIdlePod, makeNamespace, unhurried } from './kubernetes-means.ts'

const FORBIDDEN = { kind: 'blind', reason: { code: 'forbidden' } }
const AUDIENCE = 'signalbox-dispatch'

export function kubernetesRights(cluster: () => ApiServer): void {
  describe('a client without rights', () => {
    it('is blind by forbidden in every read', async () => {
      await using kubernetes = connectBy(await cluster().kubeconfigFor('powerless'))
      const place = { resource: RESOURCES.pods, namespace: 'default' }
      const log = { namespace: 'default', pod: 'any', container: 'main' }
      expect(await kubernetes.list(place, unhurried)).toMatchObject(FORBIDDEN)
      expect(await kubernetes.get({ ...place, name: 'any' }, unhurried)).toMatchObject(FORBIDDEN)
      expect(await kubernetes.logTail({ ...log, tailLines: 1, tailBytes: 10 }, unhurried)).toMatchObject(FORBIDDEN)
      expect(await kubernetes.raw('/metrics', unhurried)).toMatchObject(FORBIDDEN)
      expect(await kubernetes.reviewToken({ token: 'x', audience: AUDIENCE }, unhurried)).toMatchObject(FORBIDDEN)
      await using watched = gatherWatch(kubernetes, place)
      await using followed = gather((signal) => kubernetes.followLog(log, signal))
      expect(await watched.until('a word from the watch', () => true)).toMatchObject(FORBIDDEN)
      expect(await followed.until('a word from the log', () => true)).toMatchObject(FORBIDDEN)
    })

    it('is refused as forbidden in every write', async () => {
      await using kubernetes = connectBy(await cluster().kubeconfigFor('powerless'))
      const ref = { resource: RESOURCES.configMaps, namespace: 'default', name: 'any' }
      const forbidden = { kind: 'forbidden', message: expect.stringContaining('powerless') as string }
      const preconditions = { uid: 'any' }
      expect(await kubernetes.create({ ...ref, object: { metadata: { name: 'x' } } }, unhurried)).toMatchObject(
        forbidden,
      )
      const patch = { kind: 'merge', changes: {} } as const
      expect(await kubernetes.patch({ ...ref, patch }, unhurried)).toMatchObject(forbidden)
      expect(await kubernetes.delete({ ...ref, preconditions }, unhurried)).toMatchObject(forbidden)
      const eviction = { namespace: 'default', pod: 'any', preconditions }
      expect(await kubernetes.evict(eviction, unhurried)).toMatchObject(forbidden)
    })

    it('is unauthenticated with an unknown token', async () => {
      const kubeconfig = await cluster().kubeconfigFor('powerless')
      const wrong = `${kubeconfig}-wrong`
      await writeFile(
        wrong,
        (await readFile(kubeconfig, 'utf8')).replace(cluster().findToken('powerless'), 'unknown-token'),
      )
      await using kubernetes = connectBy(wrong)
      const listed = await kubernetes.list({ resource: RESOURCES.pods }, unhurried)
      expect(listed).toMatchObject({ kind: 'blind', reason: { code: 'unauthenticated' } })
      expect(JSON.stringify(listed)).not.toContain('unknown-token')
      const created = await kubernetes.create({ resource: RESOURCES.namespaces, object: {} }, unhurried)
      expect(created).toMatchObject({ kind: 'blind', applied: 'no', reason: { code: 'unauthenticated' } })
    })
  })

  describe('a token review', () => {
    it('returns the pod that a token is bound to while the pod exists, and its audience', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const { uid } = (await makeIdlePod(kubernetes, { namespace, name: 'runner' })).metadata
      const token = await requestToken(cluster(), namespace, { name: 'runner', uid })
      const valid = {
        kind: 'valid',
        username: `system:serviceaccount:${namespace}:default`,
        pod: { name: 'runner', uid },
      }
      expect(await kubernetes.reviewToken({ token, audience: AUDIENCE }, unhurried)).toMatchObject({ value: valid })
      const invalid = { kind: 'seen', value: { kind: 'invalid' } }
      expect(await kubernetes.reviewToken({ token, audience: 'other' }, unhurried)).toMatchObject(invalid)
      await removePod(kubernetes, namespace, uid)
      await until({
        what: 'the server to forget, after its ten seconds, that the token was valid',
        timeoutMs: 120_000,
        probe: async () => {
          const verdict = await kubernetes.reviewToken({ token, audience: AUDIENCE }, unhurried)
          return verdict.kind === 'seen' && verdict.value.kind === 'invalid' ? verdict : undefined
        },
      })
    })

    it('does not accept a token for the API server’s audience in place of ours', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      await makeConfigMap(kubernetes, { namespace: await makeNamespace(kubernetes), name: 'any' })
      const verdict = await kubernetes.reviewToken({ token: cluster().adminToken, audience: AUDIENCE }, unhurried)
      expect(verdict).toMatchObject({ kind: 'seen', value: { kind: 'invalid' } })
    })
  })
}

async function requestToken(
  cluster: ApiServer,
  namespace: string,
  pod: { readonly name: string; readonly uid: string },
): Promise<string> {
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', ...pod }
  const answer = (await cluster.callOk({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
    body: { spec: { audiences: [AUDIENCE], boundObjectRef } },
  })) as { readonly status: { readonly token: string } }
  return answer.status.token
}

async function removePod(kubernetes: KubernetesConnection, namespace: string, uid: string): Promise<void> {
  const ref = { resource: RESOURCES.pods, namespace, name: 'runner' }
  doneObject(await kubernetes.delete({ ...ref, preconditions: { uid }, gracePeriodSeconds: 0 }, unhurried))
}
