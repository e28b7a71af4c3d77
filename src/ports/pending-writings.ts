import type { DeathRecord } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'

/** One thing to write of a death. Each stands for itself, so their order does not matter. */
export type DeathWrite = { readonly postmortem: DeathRecord; readonly evidence: readonly EvidencePart[] }

/** Where writings wait for a store that is away for long. */
export type PendingWrites = {
  /** How many bytes it took, or why it could not be kept, as on a full disk. */
  readonly add: (writing: DeathWrite) => Promise<{ readonly bytes: number } | { readonly why: string }>
  /** Where the disk has no room either: kept for as long as this process lives. */
  readonly hold: (writing: DeathWrite) => void
  readonly names: () => Promise<readonly string[]>
  /** Null for one that cannot be read; it is set aside. */
  readonly read: (name: string) => Promise<DeathWrite | null>
  readonly remove: (name: string) => Promise<void>
}
