/** One source as it was seen; the content stays as it came, so that a better rule can judge it again. */
export type EvidencePart = {
  readonly source: string
  readonly observed: 'seen' | 'none' | 'blind'
  readonly reason: string | null
  readonly content: Uint8Array | null
  /** The same source seen again has a higher one; 0 if it is not given. Left out when it is read. */
  readonly revision?: number
}

/** A source with more is stored as blind: the limit protects the store, and the loss is visible. */
export const MAX_EVIDENCE_BYTES = 32 * 1024 * 1024
