import { POOL_LABEL } from '#/core/pools/own-pod.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { OwnPods } from '#/ports/pools.ts'
import { createWatchedObjects } from './watched-objects.ts'
import type { WatchedObjects } from './watched-objects.ts'

export type OwnPodWatch = OwnPods &
  Pick<WatchedObjects, 'onChange' | 'run'> & {
    /** The last state of a pod that is gone; null for one that is there, was never seen, or went long ago. */
    readonly lastOf: (uid: string) => KubeObject | null
  }

/** Whose end may not be recorded yet. */
const MOST_GONE = 2000

/** The pods of all own pools, on every replica: dispatch asks for them by UID. */
export function watchOwnPods(kubernetes: Pick<Kubernetes, 'watch'>, namespaces: readonly string[] | null): OwnPodWatch {
  const watched = createWatchedObjects(kubernetes, { resource: RESOURCES.pods, labelSelector: POOL_LABEL }, namespaces)
  const gone = new Map<string, KubeObject>()
  watched.onGone((object) => {
    gone.set(object.metadata.uid, object)
    const [oldest] = gone.keys()
    if (gone.size > MOST_GONE && oldest !== undefined) gone.delete(oldest)
  })
  return {
    ...watched,
    onGone: (listener) => watched.onGone(({ metadata }) => listener(metadata.uid)),
    lastOf: (uid) => gone.get(uid) ?? null,
  }
}
