/** One source as it was seen; the content stays as it came, so that a better rule can judge it again. */
export type EvidencePart = {
  readonly source: string
  readonly observed: 'seen' | 'none' | 'blind'
  readonly reason: string | null
  readonly content: Uint8Array | null
  /** The same source seen again has a higher one; 0 where it is not given. Not told when it is read. */
  readonly revision?: number
}

/** A source with more is stored as blind: the limit protects the store, and the loss is told. */
export const MAX_EVIDENCE_BYTES = 32 * 1024 * 1024
