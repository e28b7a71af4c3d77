import { blind, none, seen } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'

/**
 * What a source of lines gave, and what of it could not be read. A line that is there is evidence; the lack of one is
 * evidence only where `gaps` is empty.
 */
export type Lines<T> = { readonly lines: readonly T[]; readonly gaps: readonly BlindReason[] }

/** No line and a gap is no statement at all: "none" is said only by a source that was read to its end. */
export function observeLines<T>(lines: readonly T[], gaps: readonly BlindReason[]): Observed<Lines<T>> {
  if (lines.length > 0) return seen({ lines, gaps })
  const [gap] = gaps
  return gap === undefined ? none() : blind(gap.code, gap.detail)
}
