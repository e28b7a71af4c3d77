import type { Ending } from '#/core/ledger/attempt.ts'

/** What came of the removal of one object, after a second look where the answer did not say. */
export type Removal =
  | { readonly kind: 'removed' }
  | { readonly kind: 'vanished' }
  /** It changed after the proof: nothing was removed. */
  | { readonly kind: 'changed'; readonly decidedBy: string; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string }

/** The end of an act on several objects. What failed weighs most, because somebody has to look; then what was left. */
export function concludeRemovals(removals: readonly { readonly name: string; readonly removal: Removal }[]): Ending {
  const count = (kind: Removal['kind']): number => removals.filter(({ removal }) => removal.kind === kind).length
  const [removed, all] = [count('removed'), removals.length]
  const part = removed > 0 && removed < all ? `; ${removed} of ${all} were removed` : ''
  for (const { name, removal } of removals) {
    if (removal.kind === 'failed') return { outcome: 'failed', decidedBy: null, why: `${name}: ${removal.why}${part}` }
  }
  for (const { name, removal } of removals) {
    if (removal.kind !== 'changed') continue
    // A part is gone, so "refused" would say that nothing was done.
    if (removed > 0) return { outcome: 'failed', decidedBy: null, why: `${name}: ${removal.why}${part}` }
    return { outcome: 'refused', decidedBy: removal.decidedBy, why: `${name}: ${removal.why}` }
  }
  if (removed === 0) return { outcome: 'vanished', decidedBy: null, why: 'it was gone before the removal' }
  return { outcome: 'done', decidedBy: null, why: null }
}
