import { blind, none, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'

/**
 * The lines of a source, and the parts that could not be read. A line is evidence; a missing line is evidence only
 * if `gaps` is empty.
 */
export type Lines<T> = { readonly lines: readonly T[]; readonly gaps: readonly BlindReason[] }

/** No lines but a gap proves nothing: only a source that was read to its end can give `none`. */
export function observeLines<T>(lines: readonly T[], gaps: readonly BlindReason[]): Observed<Lines<T>> {
  if (lines.length > 0) return seen({ lines, gaps })
  const [gap] = gaps
  return gap === undefined ? none() : blind(gap.code, gap.detail)
}
