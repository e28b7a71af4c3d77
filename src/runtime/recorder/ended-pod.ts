import type { BlindReason } from '#/core/basics/observed.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** A runner pod that ended or cannot start, as it was last seen. */
export type EndedPod = {
  readonly uid: string
  readonly object: KubeObject
  readonly facts: PodFacts
  readonly pool: string | null
  readonly diedAt: number
  /** When this version of the object was seen, and when its end was found. */
  readonly seenAt: number
  readonly foundAt: number
  /** The pod is gone from the API server, and its logs with it. */
  readonly isGone: boolean
  readonly missed: boolean
  /** The pod still exists and cannot start; its end comes later. */
  readonly isPending: boolean
  /** Why nothing was watching when it ended; null where something was, or where that is not known. */
  readonly gap: BlindReason | null
}
