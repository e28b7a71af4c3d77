import { isJudged } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'

/** Which deaths a channel reports. An empty list of causes or pools means all of them. */
export type Selection = {
  readonly kinds: readonly string[]
  readonly causes: readonly string[]
  readonly pools: readonly string[]
  readonly minimumConfidence: number
}

export function isSelected(death: Death, { kinds, causes, pools, minimumConfidence }: Selection): boolean {
  if (!isJudged(death) || !kinds.includes(death.kind)) return false
  if (causes.length > 0 && !causes.includes(death.cause)) return false
  if (pools.length > 0 && (death.pool === null || !pools.includes(death.pool))) return false
  // With an unknown cause the confidence is that of the best guess.
  return death.kind === 'unknown' || death.confidence >= minimumConfidence
}
