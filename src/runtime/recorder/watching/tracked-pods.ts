import { sha256 } from '#/runtime/sha256.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { poolName } from '#/core/recorder/pool-name.ts'
import { shareAlike } from '#/core/basics/share-alike.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** A watched runner pod, as it was last seen. */
export type TrackedPod = {
  readonly uid: string
  readonly object: KubeObject
  readonly facts: PodFacts
  readonly pool: string | null
  readonly seenAt: number
}

export function trackedPod(object: KubeObject, seenAt: number): TrackedPod {
  return { uid: object.metadata.uid, object, facts: readPod(object), pool: poolName(object, sha256), seenAt }
}

/** The runner pods that are watched. */
export type TrackedPods = {
  readonly get: (uid: string) => TrackedPod | null
  readonly put: (pod: TrackedPod) => void
  readonly remove: (uid: string) => void
  readonly all: () => Iterable<TrackedPod>
}

export function createTrackedPods(): TrackedPods {
  const living = new Map<string, TrackedPod>()
  let latest: PodFacts | null = null
  return {
    get: (uid) => living.get(uid) ?? null,
    put: (pod) => {
      // Thousands of runners are nearly equal: each shares equal parts with the previous one.
      latest = shareAlike(pod.facts, latest)
      living.set(pod.uid, { ...pod, facts: latest })
    },
    remove: (uid) => void living.delete(uid),
    all: () => living.values(),
  }
}
