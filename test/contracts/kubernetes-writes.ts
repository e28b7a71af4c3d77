import { describe, expect, it } from 'vitest'
import type { Patch } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { gatherWatch, isAbout } from './kubernetes-gather.ts'
import { connectBy, doneObject, makeConfigMap, makeIdlePod, makeNamespace, unhurried } from './kubernetes-means.ts'

const OTHER_UID = '00000000-0000-0000-0000-000000000000'

const PATCHES: readonly Patch[] = [
  { kind: 'merge', changes: { data: { more: 'yes' } } },
  { kind: 'json', operations: [{ op: 'add', path: '/data/more', value: 'yes' }] },
  {
    kind: 'apply',
    fieldManager: 'one',
    force: false,
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { more: 'yes' } },
  },
]

export function kubernetesWrites(cluster: () => ApiServer): void {
  describe('a write', () => {
    it.each(PATCHES)(
      'by $kind patch is done, or conflicts with a UID or a version that does not hold',
      async (patch) => {
        await using kubernetes = connectBy(cluster().kubeconfig)
        const namespace = await makeNamespace(kubernetes)
        const { uid, resourceVersion } = (await makeConfigMap(kubernetes, { namespace, name: 'a' })).metadata
        const ref = { resource: RESOURCES.configMaps, namespace, name: 'a', patch }
        const conflict = { kind: 'conflict', why: 'changed' }
        expect(await kubernetes.patch({ ...ref, preconditions: { uid: OTHER_UID } }, unhurried)).toMatchObject(conflict)
        const stale = { uid, resourceVersion: String(Number(resourceVersion) - 1) }
        expect(await kubernetes.patch({ ...ref, preconditions: stale }, unhurried)).toMatchObject(conflict)
        const done = await kubernetes.patch({ ...ref, preconditions: { uid, resourceVersion } }, unhurried)
        expect(done).toMatchObject({ kind: 'done', object: { data: { key: 'value', more: 'yes' } } })
      },
    )

    it('conflicts with another field manager in server-side apply, unless it is forced', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const apply = (fieldManager: string, value: string, force = false) =>
        kubernetes.patch(
          {
            resource: RESOURCES.configMaps,
            namespace,
            name: 'shared',
            patch: {
              kind: 'apply',
              fieldManager,
              force,
              object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { owner: value } },
            },
          },
          unhurried,
        )
      expect(await apply('first', '1')).toMatchObject({ kind: 'done', object: { data: { owner: '1' } } })
      expect(await apply('second', '2')).toMatchObject({ kind: 'conflict', why: 'changed' })
      expect(await apply('second', '2', true)).toMatchObject({ kind: 'done', object: { data: { owner: '2' } } })
    })

    it('names the reason for a refusal', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      await makeConfigMap(kubernetes, { namespace, name: 'taken' })
      const create = (name: string, where = namespace) =>
        kubernetes.create(
          { resource: RESOURCES.configMaps, namespace: where, object: { metadata: { name } } },
          unhurried,
        )
      expect(await create('taken')).toMatchObject({ kind: 'conflict', why: 'exists' })
      expect(await create('Not_A_Name')).toMatchObject({ kind: 'refused' })
      expect(await create('new', 'no-such-namespace')).toEqual({ kind: 'gone' })
      const absent = { resource: RESOURCES.configMaps, namespace, name: 'absent' }
      const gone = await kubernetes.patch({ ...absent, patch: { kind: 'merge', changes: {} } }, unhurried)
      expect(gone).toEqual({ kind: 'gone' })
      const unknownKind = { resource: RESOURCES.ephemeralRunners, namespace, object: { metadata: { name: 'x' } } }
      expect(await kubernetes.create(unknownKind, unhurried)).toMatchObject({ kind: 'blind', applied: 'no' })
    })
  })

  describe('a deletion', () => {
    it('deletes only the intended object and version', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const { uid, resourceVersion } = (await makeConfigMap(kubernetes, { namespace, name: 'a' })).metadata
      const ref = { resource: RESOURCES.configMaps, namespace, name: 'a' }
      const conflict = { kind: 'conflict', why: 'changed' }
      expect(await kubernetes.delete({ ...ref, preconditions: { uid: OTHER_UID } }, unhurried)).toMatchObject(conflict)
      await kubernetes.patch({ ...ref, patch: { kind: 'merge', changes: { data: { key: 'other' } } } }, unhurried)
      const stale = await kubernetes.delete({ ...ref, preconditions: { uid, resourceVersion } }, unhurried)
      expect(stale).toMatchObject(conflict)
      expect(await kubernetes.get(ref, unhurried)).toMatchObject({ kind: 'seen' })
      expect(await kubernetes.delete({ ...ref, preconditions: { uid } }, unhurried)).toMatchObject({ kind: 'done' })
      expect(await kubernetes.get(ref, unhurried)).toEqual({ kind: 'none' })
      expect(await kubernetes.delete({ ...ref, preconditions: { uid } }, unhurried)).toEqual({ kind: 'gone' })
    })

    it('by force keeps the object while it has a finalizer, and the watch sees both deletions', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const finalizers = ['signalbox.dev/evidence']
      const { uid } = (await makeIdlePod(kubernetes, { namespace, name: 'held', metadata: { finalizers } })).metadata
      const ref = { resource: RESOURCES.pods, namespace, name: 'held' }
      await using watched = gatherWatch(kubernetes, { resource: RESOURCES.pods, namespace })
      await watched.caughtUp()
      const forced = await kubernetes.delete({ ...ref, preconditions: { uid }, gracePeriodSeconds: 0 }, unhurried)
      expect(forced).toMatchObject({ kind: 'done', object: { metadata: { deletionGracePeriodSeconds: 0 } } })
      const held = await kubernetes.get(ref, unhurried)
      expect(held).toMatchObject({
        value: { metadata: { deletionTimestamp: expect.any(String) as string, finalizers } },
      })
      await watched.until('the mark of deletion', isAbout('modified', 'held'))
      expect(watched.events.some(isAbout('deleted', 'held'))).toBe(false)
      const release = { kind: 'merge', changes: { metadata: { finalizers: [] } } } as const
      doneObject(await kubernetes.patch({ ...ref, preconditions: { uid }, patch: release }, unhurried))
      const last = await watched.until('the end', isAbout('deleted', 'held'))
      expect(last).toMatchObject({ object: { metadata: { uid, deletionTimestamp: expect.any(String) as string } } })
    })

    it('by eviction is refused by a disruption budget, and conflicts with another UID', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const { uid } = (
        await makeIdlePod(kubernetes, { namespace, name: 'busy', metadata: { labels: { app: 'busy' } } })
      ).metadata
      const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }
      const ref = { resource: RESOURCES.pods, namespace, name: 'busy' }
      const patch = { kind: 'merge', changes: running } as const
      doneObject(await kubernetes.patch({ ...ref, subresource: 'status', patch }, unhurried))
      const budget = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'keep' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'busy' } } },
      }
      const place = { resource: RESOURCES.podDisruptionBudgets, namespace }
      const made = doneObject(await kubernetes.create({ ...place, object: budget }, unhurried))
      const eviction = { namespace, pod: 'busy', preconditions: { uid } }
      expect(await kubernetes.evict(eviction, unhurried)).toMatchObject({ kind: 'refused' })
      const gone = { ...place, name: 'keep', preconditions: { uid: made.metadata.uid } }
      expect(await kubernetes.delete(gone, unhurried)).toMatchObject({ kind: 'done' })
      const other = await kubernetes.evict({ ...eviction, preconditions: { uid: OTHER_UID } }, unhurried)
      expect(other).toMatchObject({ kind: 'conflict', why: 'changed' })
      expect(await kubernetes.evict(eviction, unhurried)).toMatchObject({ kind: 'done' })
    })
  })
}
