import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'

/** One thing to write of a death. Writing it twice changes nothing, and the order of two does not matter. */
export type DeathWrite = { readonly postmortem: DeathRecord; readonly evidence: readonly EvidencePart[] }

/** The spool: where writes wait on disk for the store, and survive this process. */
export type PendingWrites = {
  /** On disk and synced when it resolves; or why it could not be kept, as on a full disk. Concurrent calls share one sync. */
  readonly add: (writing: DeathWrite) => Promise<'kept' | { readonly why: string }>
  /** What waits of one death, the oldest first. Ask before the store: what it hands over meanwhile is in one of both. */
  readonly find: (uid: string) => Promise<readonly DeathWrite[]>
  /** Hands over what waits, the oldest first. `stopped` where a write must wait, or on the signal. */
  readonly drain: (store: HandOver, signal: AbortSignal) => Promise<'empty' | 'stopped'>
  readonly state: () => PendingState
  /** Looks whether the disk takes writes, and sets the fault of the state accordingly. */
  readonly probe: () => Promise<void>
  /** What the disk and the limit of the spool still leave. */
  readonly freeBytes: () => Promise<number>
}

/** `refused`: the store will never take it; it is set aside. */
export type HandOver = (writing: DeathWrite) => Promise<'stored' | 'refused' | 'later'>

export type PendingState = {
  readonly waiting: number
  readonly bytes: number
  /** When the oldest was recorded; null where none waits. */
  readonly oldestAt: number | null
  /** Why the disk did not take the last write or probe. */
  readonly fault: string | null
}
