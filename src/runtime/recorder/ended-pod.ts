import type { BlindReason } from '#/core/basics/observed.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** A runner pod whose life is over, or cannot begin, as it was last seen. */
export type EndedPod = {
  readonly uid: string
  readonly object: KubeObject
  readonly facts: PodFacts
  readonly pool: string | null
  readonly diedAt: number
  /** When the object was as it is here, and when its end was noticed. */
  readonly seenAt: number
  readonly foundAt: number
  /** It does not stand in the API server any more: its logs went with it. */
  readonly isGone: boolean
  readonly missed: boolean
  /** It still stands, and what keeps it from its start is told. Its real end comes later. */
  readonly isPending: boolean
  /** Why nobody was looking when it went; null where somebody was, or where that is not known. */
  readonly gap: BlindReason | null
}
