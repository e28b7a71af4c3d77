import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { poolOf } from '#/core/recorder/pool-of.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { shareAlike } from '#/core/basics/share-alike.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** A runner pod that is watched, as it was last seen. */
export type Watched = {
  readonly uid: string
  readonly object: KubeObject
  readonly facts: PodFacts
  readonly pool: string | null
  readonly seenAt: number
}

export function watchedPod(object: KubeObject, seenAt: number): Watched {
  return { uid: object.metadata.uid, object, facts: readPod(object), pool: poolOf(object, sha256), seenAt }
}

/** Who lives, and whose end was taken up already, so that it is not taken up twice. */
export type Roster = {
  readonly get: (uid: string) => Watched | null
  readonly put: (pod: Watched) => void
  readonly remove: (uid: string) => void
  readonly all: () => Iterable<Watched>
  /** True the first time. */
  readonly endOnce: (uid: string) => boolean
  readonly hasEnded: (uid: string) => boolean
}

const MOST_ENDED = 200_000

export function createRoster(): Roster {
  const living = new Map<string, Watched>()
  const ended = new Set<string>()
  let latest: PodFacts | null = null
  return {
    get: (uid) => living.get(uid) ?? null,
    put: (pod) => {
      // Thousands of runners differ in little: what one has in common with the one before it is held once.
      latest = shareAlike(pod.facts, latest)
      living.set(pod.uid, { ...pod, facts: latest })
    },
    remove: (uid) => void living.delete(uid),
    all: () => living.values(),
    endOnce: (uid) => {
      if (ended.has(uid)) return false
      ended.add(uid)
      const [oldest] = ended
      if (ended.size > MOST_ENDED && oldest !== undefined) ended.delete(oldest)
      return true
    },
    hasEnded: (uid) => ended.has(uid),
  }
}
