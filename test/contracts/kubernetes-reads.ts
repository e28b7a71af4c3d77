import { describe, expect, it } from 'vitest'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import {
  connectBy,
  connectWith,
  loadCredentials,
  makeConfigMap,
  makeIdlePod,
  makeNamespace,
  unhurried,
} from './kubernetes-means.ts'

const MANY = 5000
const AT_ONCE = 50

export function kubernetesReads(cluster: () => ApiServer): void {
  describe('a read', () => {
    it('is none for an object that does not exist and for an empty list', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const place = { resource: RESOURCES.pods, namespace }
      expect(await kubernetes.list(place, unhurried)).toEqual({ kind: 'none' })
      expect(await kubernetes.get({ ...place, name: 'absent' }, unhurried)).toEqual({ kind: 'none' })
    })

    it('is blind, not none, for a kind that the server does not serve', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const place = { resource: RESOURCES.ephemeralRunners, namespace: 'default' }
      const unsupported = { kind: 'blind', reason: { code: 'unsupported' } }
      expect(await kubernetes.list(place, unhurried)).toMatchObject(unsupported)
      expect(await kubernetes.get({ ...place, name: 'absent' }, unhurried)).toMatchObject(unsupported)
    })

    it('selects by labels and by fields', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      await makeConfigMap(kubernetes, { namespace, name: 'one', metadata: { labels: { lane: 'heavy' } } })
      await makeConfigMap(kubernetes, { namespace, name: 'two' })
      const place = { resource: RESOURCES.configMaps, namespace }
      const names = async (selectors: object): Promise<readonly string[]> => {
        const listed = await kubernetes.list({ ...place, ...selectors }, unhurried)
        return listed.kind === 'seen' ? listed.value.items.map(({ metadata }) => metadata.name) : []
      }
      expect(await names({ labelSelector: 'lane=heavy' })).toEqual(['one'])
      expect(await names({ fieldSelector: 'metadata.name=two' })).toEqual(['two'])
      expect(await names({})).toEqual(['one', 'two'])
    })

    it('drops the managed fields and kubectl’s copy unless the reader keeps them', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' }
      await makeConfigMap(kubernetes, { namespace, name: 'big', metadata: { annotations } })
      const ref = { resource: RESOURCES.configMaps, namespace, name: 'big' }
      const lean = await kubernetes.get(ref, unhurried)
      expect(lean).toMatchObject({
        kind: 'seen',
        value: { kind: 'ConfigMap', metadata: { annotations: { kept: 'yes' } } },
      })
      expect(JSON.stringify(lean)).not.toMatch(/managedFields|last-applied/u)
      const kept = await kubernetes.get({ ...ref, trim: withoutLastApplied }, unhurried)
      expect(kept).toMatchObject({
        kind: 'seen',
        value: { metadata: { managedFields: [{ manager: 'signalbox-test' }] } },
      })
      expect(kept).toMatchObject({ value: { metadata: { annotations: { kept: 'yes' } } } })
      expect(JSON.stringify(kept)).not.toContain('"kubectl.kubernetes.io/last-applied')
    })

    it('returns any path as text', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      expect(await kubernetes.raw('/readyz', unhurried)).toMatchObject({ kind: 'seen', value: { text: 'ok' } })
      expect(await kubernetes.raw('/readyz?verbose', unhurried)).toMatchObject({
        value: { text: expect.stringContaining('[+]etcd ok') as string },
      })
      const stats = await kubernetes.raw('/api/v1/nodes/absent/proxy/stats/summary', unhurried)
      expect(stats).toEqual({ kind: 'none' })
    })

    it('is none for the log of a pod without a node, and blind for a pod that is gone', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      await makeIdlePod(kubernetes, { namespace, name: 'idle' })
      const tail = { namespace, container: 'main', tailLines: 10, tailBytes: 1000 }
      expect(await kubernetes.logTail({ ...tail, pod: 'idle' }, unhurried)).toEqual({ kind: 'none' })
      const gone = await kubernetes.logTail({ ...tail, pod: 'gone' }, unhurried)
      expect(gone).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    })

    it('returns the rights of the caller', async () => {
      await using admin = connectBy(cluster().kubeconfig)
      await using reader = connectBy(await cluster().kubeconfigFor('powerless'))
      const deletePods = { verb: 'delete', resource: RESOURCES.pods, namespace: 'default' }
      expect(await admin.canI(deletePods, unhurried)).toMatchObject({ value: { allowed: true } })
      expect(await reader.canI(deletePods, unhurried)).toMatchObject({ value: { allowed: false } })
      expect(await reader.canI({ verb: 'get', path: '/metrics' }, unhurried)).toMatchObject({
        value: { allowed: false },
      })
      expect(await reader.canI({ verb: 'get', path: '/version' }, unhurried)).toMatchObject({
        value: { allowed: true },
      })
    })
  })

  describe('a list of many pages', () => {
    it('is complete for 5,000 objects', { timeout: 400_000 }, async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      for (let made = 0; made < MANY; made += AT_ONCE) {
        const names = Array.from({ length: AT_ONCE }, (_, index) => `m-${made + index}`)
        await Promise.all(names.map((name) => makeConfigMap(kubernetes, { namespace, name })))
      }
      const listed = await kubernetes.list({ resource: RESOURCES.configMaps, namespace }, unhurried)
      const names = listed.kind === 'seen' ? listed.value.items.map(({ metadata }) => metadata.name) : []
      expect(new Set(names).size).toBe(MANY)
      await using limited = connectBy(cluster().kubeconfig, { maxItems: MANY - 1 })
      const refused = await limited.list({ resource: RESOURCES.configMaps, namespace }, unhurried)
      expect(refused).toMatchObject({ kind: 'blind', reason: { code: 'too-large' } })
    })

    it('restarts once when the server compacts the version between two pages, and is blind the second time', async () => {
      const { kubeconfig, compactEtcd } = cluster()
      await using writer = connectBy(kubeconfig)
      const namespace = await makeNamespace(writer)
      for (const name of ['a', 'b', 'c']) await makeConfigMap(writer, { namespace, name })
      const credentials = loadCredentials({ kind: 'files', paths: [kubeconfig] })
      const forgetBefore = (requests: readonly number[], name: string) => {
        let asked = 0
        return connectWith(
          {
            ...credentials,
            current: async (signal) => {
              asked += 1
              if (requests.includes(asked)) {
                await makeConfigMap(writer, { namespace, name: `${name}-${asked}` })
                await compactEtcd()
              }
              return await credentials.current(signal)
            },
          },
          { pageSize: 2 },
        )
      }
      const place = { resource: RESOURCES.configMaps, namespace }
      await using once = forgetBefore([2], 'later')
      const listed = await once.list(place, unhurried)
      const names = listed.kind === 'seen' ? listed.value.items.map(({ metadata }) => metadata.name) : []
      expect(names).toEqual(['a', 'b', 'c', 'later-2'])
      await using twice = forgetBefore([2, 4], 'latest')
      expect(await twice.list(place, unhurried)).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    })
  })
}
