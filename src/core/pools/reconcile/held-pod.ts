import { formatDuration } from '#/core/basics/duration.ts'
import { timeAt } from '#/core/basics/fields.ts'
import type { GateId } from '#/core/interlock/gate.ts'
import { EVIDENCE_FINALIZER } from '#/core/pools/own-pod.ts'
import { finalizersOf, readPoolPod } from './pool-pod.ts'
import type { PodLife } from './pool-pod.ts'

/** An own pod whose object our finalizer keeps. */
export type HeldPod = {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly scope: string
  /** When its grace ends, or ended; null where nobody deletes it. */
  readonly deletedAt: number | null
  readonly life: PodLife
  readonly finalizers: readonly string[]
}

export type ReleaseTerms = {
  readonly olderThanMs: number
  /** Also one that runs, that somebody else holds too, or that nobody deletes yet: its object is no longer kept. */
  readonly force: boolean
}

export type ReleaseVerdict =
  | { readonly kind: 'may'; readonly why: string }
  | { readonly kind: 'stays'; readonly gate: GateId; readonly why: string }

/** Null for a pod of somebody else, and for one that we do not hold. */
export function readHeldPod(object: unknown): HeldPod | null {
  const pod = readPoolPod(object)
  if (pod?.holdsEvidence !== true) return null
  const { namespace, name, uid, scope, life } = pod
  const deletedAt = timeAt(object, 'metadata', 'deletionTimestamp')
  return { namespace, name, uid, scope, deletedAt, life, finalizers: finalizersOf(object) }
}

/** Whether its finalizer may go although its evidence is not stored, and never will be. */
export function judgeRelease(pod: HeldPod, { olderThanMs, force }: ReleaseTerms, now: number): ReleaseVerdict {
  const { deletedAt, life } = pod
  if (deletedAt === null)
    return force
      ? { kind: 'may', why: 'it is not being deleted; it will go at once when it is' }
      : { kind: 'stays', gate: 'identity', why: 'it is not being deleted' }
  const others = pod.finalizers.filter((one) => one !== EVIDENCE_FINALIZER)
  if (others.length > 0 && !force)
    return { kind: 'stays', gate: 'identity', why: `it is held by others too: ${others.join(', ')}` }
  // Without a node there is nothing that could run.
  const isOver = life === 'ended' || life === 'scheduling'
  if (!isOver && !force)
    return { kind: 'stays', gate: 'no-worker-process', why: `it still runs, as far as its node has said (${life})` }
  const ageMs = now - deletedAt
  const age = formatDuration(Math.floor(Math.max(0, ageMs) / 1000) * 1000)
  if (ageMs < olderThanMs) return { kind: 'stays', gate: 'old-enough', why: `it should have been gone for ${age} only` }
  return { kind: 'may', why: `it should have been gone for ${age}; only our finalizer keeps it` }
}
