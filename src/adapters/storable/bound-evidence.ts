import { MAX_EVIDENCE_BYTES } from '#/ports/store/evidence.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'

/** The part as a store may keep it. What is too large becomes blind with its size, never a shortened content. */
export function boundEvidence(part: EvidencePart): EvidencePart {
  if (part.content === null || part.content.length <= MAX_EVIDENCE_BYTES) return part
  const reason = `too-large: ${part.content.length} bytes, at most ${MAX_EVIDENCE_BYTES} are stored`
  return { ...part, observed: 'blind', reason, content: null }
}

/** Why a part has no content any more after retention took it. */
export const EXPIRED_EVIDENCE = 'expired: removed by retention to keep the evidence within its bytes'
