import { describe, expect, it } from 'vitest'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { Tuning } from '#/adapters/kubernetes/tuning.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { gatherWatch, isAbout } from './kubernetes-gather.ts'
import { unhurried } from './kubernetes-means.ts'

/** An API server under test, real or replayed, and how a test changes its pods. */
export type PodServer = {
  readonly connect: (tuning?: Partial<Tuning>) => KubernetesConnection
  readonly namespace: () => Promise<string>
  /** A pod that no node runs; returns its UID. */
  readonly makePod: (pod: PodPlace, labels?: Readonly<Record<string, string>>) => Promise<string>
  readonly labelPod: (pod: PodPlace, labels: Readonly<Record<string, string>>) => Promise<void>
  /** At once, without a grace period. */
  readonly removePod: (pod: PodPlace, uid: string) => Promise<void>
}

export type PodPlace = { readonly namespace: string; readonly name: string }

const pods = RESOURCES.pods

export function kubernetesServed(server: () => PodServer): void {
  describe('what every API server does for readers of pods', () => {
    it('answers none for an object that does not exist and for an empty list', async () => {
      await using kubernetes = server().connect()
      const namespace = await server().namespace()
      expect(await kubernetes.list({ resource: pods, namespace }, unhurried)).toEqual({ kind: 'none' })
      expect(await kubernetes.get({ resource: pods, namespace, name: 'absent' }, unhurried)).toEqual({ kind: 'none' })
    })

    it('answers unsupported, not none, for a kind that it does not serve', async () => {
      await using kubernetes = server().connect()
      const place = { resource: RESOURCES.machines, namespace: 'default' }
      const unsupported = { kind: 'blind', reason: { code: 'unsupported' } }
      expect(await kubernetes.list(place, unhurried)).toMatchObject(unsupported)
      expect(await kubernetes.get({ ...place, name: 'absent' }, unhurried)).toMatchObject(unsupported)
    })

    it('selects a list by labels and by fields, in one and in all namespaces', async () => {
      await using kubernetes = server().connect()
      const namespace = await server().namespace()
      const elsewhere = await server().namespace()
      await server().makePod({ namespace, name: 'one' }, { [`lane-${namespace}`]: 'heavy' })
      await server().makePod({ namespace, name: 'two' }, { [`lane-${namespace}`]: 'light' })
      await server().makePod({ namespace: elsewhere, name: 'three' }, { [`lane-${namespace}`]: 'heavy' })
      const names = async (selectors: object): Promise<readonly string[]> => {
        const listed = await kubernetes.list({ resource: pods, ...selectors }, unhurried)
        return listed.kind === 'seen' ? listed.value.items.map(({ metadata }) => metadata.name).toSorted() : []
      }
      const lane = `lane-${namespace}`
      expect(await names({ namespace })).toEqual(['one', 'two'])
      expect(await names({ namespace, labelSelector: `${lane}=heavy` })).toEqual(['one'])
      expect(await names({ labelSelector: `${lane}=heavy` })).toEqual(['one', 'three'])
      expect(await names({ labelSelector: lane })).toEqual(['one', 'three', 'two'])
      expect(await names({ labelSelector: `${lane}!=heavy`, namespace })).toEqual(['two'])
      expect(await names({ labelSelector: `${lane} in (light,none)` })).toEqual(['two'])
      expect(await names({ labelSelector: `!${lane}`, namespace })).toEqual([])
      expect(await names({ namespace, fieldSelector: 'metadata.name=two' })).toEqual(['two'])
    })

    it('has no log yet for a pod without a node, and an expired one for a pod that is gone', async () => {
      await using kubernetes = server().connect()
      const namespace = await server().namespace()
      await server().makePod({ namespace, name: 'idle' })
      const tail = { namespace, container: 'main', tailLines: 10, tailBytes: 1000 }
      expect(await kubernetes.logTail({ ...tail, pod: 'idle' }, unhurried)).toEqual({ kind: 'none' })
      const gone = await kubernetes.logTail({ ...tail, pod: 'gone' }, unhurried)
      expect(gone).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    })

    it('reports that it is ready', async () => {
      await using kubernetes = server().connect()
      expect(await kubernetes.raw('/readyz', unhurried)).toMatchObject({ kind: 'seen', value: { text: 'ok' } })
    })
  })

  describe('what every API server does for watchers of pods', () => {
    it('lists existing pods, then sends every change with the object, including the last one', async () => {
      await using kubernetes = server().connect()
      const namespace = await server().namespace()
      await server().makePod({ namespace, name: 'before' })
      await using watched = gatherWatch(kubernetes, { resource: pods, namespace })
      await watched.caughtUp()
      expect(watched.events[0]).toMatchObject({ items: [{ kind: 'Pod', metadata: { name: 'before' } }], vanished: [] })
      const pod = { namespace, name: 'after' }
      const uid = await server().makePod(pod)
      await server().labelPod(pod, { seen: 'yes' })
      await server().removePod(pod, uid)
      await watched.until('the end', isAbout('deleted', 'after'))
      const kinds = watched.listStates('after').map(({ kind }) => kind)
      expect([...new Set(kinds)]).toEqual(['added', 'modified', 'deleted'])
      expect(watched.listStates('after').at(-1)?.object).toMatchObject({ metadata: { uid, labels: { seen: 'yes' } } })
      const versions = watched.listStates('after').map(({ object }) => Number(object.metadata.resourceVersion))
      expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    })

    it('sends only what the selector matches', async () => {
      await using kubernetes = server().connect()
      const namespace = await server().namespace()
      await using watched = gatherWatch(kubernetes, { resource: pods, namespace, labelSelector: 'lane' })
      await watched.caughtUp()
      await server().makePod({ namespace, name: 'other' })
      await server().makePod({ namespace, name: 'chosen' }, { lane: 'a' })
      await watched.until('the chosen one', isAbout('added', 'chosen'))
      expect(watched.listStates('other')).toEqual([])
    })

    it('continues from bookmarks when the server ends the watch, and loses nothing', async () => {
      await using kubernetes = server().connect({ watchSeconds: 3 })
      const namespace = await server().namespace()
      const elsewhere = await server().namespace()
      await using watched = gatherWatch(kubernetes, { resource: pods, namespace })
      await watched.caughtUp()
      const listed = watched.events[0]
      const from = listed?.kind === 'listed' ? listed.resourceVersion : ''
      await server().makePod({ namespace: elsewhere, name: 'noise' })
      await watched.until(
        'a bookmark beyond what happened elsewhere',
        (event) => event.kind === 'caught-up' && Number(event.resourceVersion) > Number(from),
      )
      await server().makePod({ namespace, name: 'late' })
      await watched.until('the late pod', isAbout('added', 'late'))
      expect(watched.events.filter(({ kind }) => kind === 'listed' || kind === 'blind')).toEqual([listed])
    })
  })
}
