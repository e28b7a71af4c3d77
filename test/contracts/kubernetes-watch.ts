import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { DEFAULT_TUNING } from '#/adapters/kubernetes/tuning.ts'
import type { WatchEvent } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { openTcpGate } from '#test/kubernetes/tcp-gate.ts'
import { gatherWatch, isAbout } from './kubernetes-gather.ts'
import { connectBy, doneObject, makeConfigMap, makeIdlePod, makeNamespace, unhurried } from './kubernetes-means.ts'

export function kubernetesWatch(cluster: () => ApiServer): void {
  describe('a watch', () => {
    it('lists existing objects, reports that it is watching, and sends every change with the object', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      await makeIdlePod(kubernetes, { namespace, name: 'before' })
      await using watched = gatherWatch(kubernetes, { resource: RESOURCES.pods, namespace })
      await watched.caughtUp()
      expect(watched.events.map(({ kind }) => kind)).toEqual(['listed', 'caught-up'])
      expect(watched.events[0]).toMatchObject({ items: [{ kind: 'Pod', metadata: { name: 'before' } }], vanished: [] })
      const { uid } = (await makeIdlePod(kubernetes, { namespace, name: 'after' })).metadata
      const ref = { resource: RESOURCES.pods, namespace, name: 'after' }
      const patch = { kind: 'merge', changes: { metadata: { labels: { seen: 'yes' } } } } as const
      doneObject(await kubernetes.patch({ ...ref, patch }, unhurried))
      await kubernetes.delete({ ...ref, preconditions: { uid }, gracePeriodSeconds: 0 }, unhurried)
      await watched.until('the end', isAbout('deleted', 'after'))
      // The server marks a pod as being deleted before it removes it, by force too.
      expect(watched.listStates('after').map(({ kind }) => kind)).toEqual(['added', 'modified', 'modified', 'deleted'])
      const states = watched.listStates('after').map(({ object }) => object)
      expect(states.at(-1)).toMatchObject({ metadata: { uid, labels: { seen: 'yes' } } })
      expect(JSON.stringify(states)).not.toContain('managedFields')
    })

    it('continues from bookmarks when the server ends the watch, and loses nothing', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig, { watchSeconds: 3 })
      const namespace = await makeNamespace(kubernetes)
      const elsewhere = await makeNamespace(kubernetes)
      await using watched = gatherWatch(kubernetes, { resource: RESOURCES.pods, namespace })
      await watched.caughtUp()
      const listed = watched.events[0]
      const from = listed?.kind === 'listed' ? listed.resourceVersion : ''
      const other = (await makeIdlePod(kubernetes, { namespace: elsewhere, name: 'noise' })).metadata.resourceVersion
      await watched.until(
        'a bookmark beyond what happened elsewhere',
        (event) => event.kind === 'caught-up' && Number(event.resourceVersion) >= Number(other),
      )
      expect(Number(other)).toBeGreaterThan(Number(from))
      const opened = watched.events.length
      await watched.caughtUp(opened)
      await makeIdlePod(kubernetes, { namespace, name: 'late' })
      await watched.until('the late pod', isAbout('added', 'late'))
      expect(watched.events.filter(({ kind }) => kind === 'listed' || kind === 'blind')).toEqual([listed])
    })

    it('lists again when its resource version was compacted, and names what disappeared in between', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const { uid } = (await makeConfigMap(kubernetes, { namespace, name: 'doomed' })).metadata
      await makeConfigMap(kubernetes, { namespace, name: 'stays' })
      await using gate = await openTcpGate(cluster().port)
      // The first watch goes silent; when it is opened again, its resource version has been compacted.
      const hasty = { silentAfterMs: 2000, requestTimeoutMs: 3000 }
      await using gated = connectBy(await kubeconfigThrough(cluster(), gate.port), hasty)
      await using watched = gatherWatch(gated, { resource: RESOURCES.configMaps, namespace })
      await watched.caughtUp()
      // A slow start may have been reported as blind as well.
      const from = watched.events.length
      // No connection succeeds before the compaction is done.
      gate.silence()
      gate.shut()
      const ref = { resource: RESOURCES.configMaps, namespace, name: 'doomed' }
      await kubernetes.delete({ ...ref, preconditions: { uid } }, unhurried)
      await makeConfigMap(kubernetes, { namespace, name: 'new' })
      await cluster().compactEtcd()
      gate.restore()
      const silent = await watched.until('the silence to be noticed', ({ kind }) => kind === 'blind', from)
      expect(silent).toMatchObject({ reason: { code: 'timeout' } })
      const forgotten = (event: object): boolean => JSON.stringify(event).includes('"expired"')
      await watched.until('the 410', forgotten)
      const relist = await watched.until('the new list', ({ kind }) => kind === 'listed', from)
      expect(relist).toMatchObject({ vanished: [{ metadata: { name: 'doomed', uid }, data: { key: 'value' } }] })
      expect(watched.listStates('new').map(({ kind }) => kind)).toEqual(['listed'])
      expect(watched.events.some(isAbout('deleted', 'doomed'))).toBe(false)
    })

    it('detects a silent connection, reports blind, and continues where it was', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      await using gate = await openTcpGate(cluster().port)
      await using gated = connectBy(await kubeconfigThrough(cluster(), gate.port), { silentAfterMs: 2000 })
      await using watched = gatherWatch(gated, { resource: RESOURCES.pods, namespace })
      await watched.caughtUp()
      gate.silence()
      const from = watched.events.length
      await makeIdlePod(kubernetes, { namespace, name: 'missed' })
      const silent = await watched.until('the silence to be noticed', ({ kind }) => kind === 'blind', from)
      expect(silent).toMatchObject({ reason: { code: 'timeout', detail: expect.stringContaining('WATCH') as string } })
      await watched.until('what was missed', isAbout('added', 'missed'))
      expect(watched.events.filter(({ kind }) => kind === 'listed')).toHaveLength(1)
    })

    it('sends the last states of objects that were deleted during a long network outage', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await makeNamespace(kubernetes)
      const { uid } = (await makeIdlePod(kubernetes, { namespace, name: 'doomed' })).metadata
      await using gate = await openTcpGate(cluster().port)
      await using gated = connectBy(await kubeconfigThrough(cluster(), gate.port))
      await using watched = gatherWatch(gated, { resource: RESOURCES.pods, namespace })
      await watched.caughtUp()
      gate.cut()
      const ref = { resource: RESOURCES.pods, namespace, name: 'doomed' }
      const patch = { kind: 'merge', changes: { metadata: { labels: { last: 'words' } } } } as const
      doneObject(await kubernetes.patch({ ...ref, patch }, unhurried))
      await kubernetes.delete({ ...ref, preconditions: { uid }, gracePeriodSeconds: 0 }, unhurried)
      const blinds = (): number => watched.events.filter(({ kind }) => kind === 'blind').length
      await watched.until('many failed attempts', () => blinds() > 6)
      gate.restore()
      const last = await watched.until('the end of the pod', isAbout('deleted', 'doomed'))
      expect(last).toMatchObject({ object: { metadata: { uid, labels: { last: 'words' } } } })
      expect(watched.events.filter(({ kind }) => kind === 'listed')).toHaveLength(1)
    })

    it('is not blind when nothing happens, even without bookmarks', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig, { watchSeconds: 2, silentAfterMs: 6000 })
      const namespace = await makeNamespace(kubernetes)
      await using watched = gatherWatch(kubernetes, { resource: RESOURCES.events, namespace })
      await watched.until('the watch to be opened five times', () => openings(watched.events) >= 5)
      expect(watched.events.map(({ kind }) => kind)).not.toContain('blind')
      expect(DEFAULT_TUNING.watchSeconds * 1000).toBeLessThan(DEFAULT_TUNING.silentAfterMs)
    })

    it('ends on request, whatever it is doing', async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const request = { resource: RESOURCES.pods, namespace: 'default' }
      const stop = new AbortController()
      const kinds: string[] = []
      for await (const event of kubernetes.watch(request, stop.signal)) {
        kinds.push(event.kind)
        if (event.kind === 'caught-up') stop.abort()
      }
      expect(kinds).toEqual(['listed', 'caught-up'])
      for await (const event of kubernetes.watch(request, unhurried)) if (event.kind === 'caught-up') break
    })
  })
}

function openings(events: readonly WatchEvent[]): number {
  return events.filter(({ kind }) => kind === 'caught-up').length
}

async function kubeconfigThrough({ kubeconfig, url }: ApiServer, port: number): Promise<string> {
  const path = `${kubeconfig}-${port}`
  await writeFile(path, (await readFile(kubeconfig, 'utf8')).replaceAll(url, `https://127.0.0.1:${port}`))
  return path
}
