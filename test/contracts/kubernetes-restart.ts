import { describe, expect, it } from 'vitest'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { gatherWatch, isAbout } from './kubernetes-gather.ts'
import { connectBy, makeIdlePod, makeNamespace, unhurried } from './kubernetes-means.ts'

/** The last suite, because it stops the server that the others use. */
export function kubernetesRestart(cluster: () => ApiServer): void {
  describe('an API server that is killed and restarted', () => {
    it(
      'makes every call blind until it is back, and the watch continues and loses nothing',
      { timeout: 400_000 },
      async () => {
        await using kubernetes = connectBy(cluster().kubeconfig)
        const namespace = await makeNamespace(kubernetes)
        await makeIdlePod(kubernetes, { namespace, name: 'before' })
        const place = { resource: RESOURCES.pods, namespace }
        await using watched = gatherWatch(kubernetes, place)
        await watched.caughtUp()
        await cluster().killApiServer()
        const unreachable = { kind: 'blind', reason: { code: 'unreachable' } }
        await watched.until('the watch to be blind', ({ kind }) => kind === 'blind')
        expect(await kubernetes.list(place, unhurried)).toMatchObject(unreachable)
        const write = { resource: RESOURCES.namespaces, object: { metadata: { name: 'never' } } }
        expect(await kubernetes.create(write, unhurried)).toMatchObject({ ...unreachable, applied: 'no' })
        await cluster().startApiServer()
        await makeIdlePod(kubernetes, { namespace, name: 'after' })
        const isAfter = (event: object): boolean => JSON.stringify(event).includes('"name":"after"')
        await watched.until('the pod that was made afterwards', isAfter)
        await watched.caughtUp(watched.events.findIndex(({ kind }) => kind === 'blind'))
        expect(watched.events.filter((event) => 'vanished' in event && event.vanished.length > 0)).toEqual([])
        await makeIdlePod(kubernetes, { namespace, name: 'at-last' })
        await watched.until('the stream of events', isAbout('added', 'at-last'))
      },
    )
  })
}
