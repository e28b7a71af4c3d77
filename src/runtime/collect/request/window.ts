import type { WindowWish } from './request.ts'

export type Window = { readonly from: number; readonly to: number | null }

const BEFORE_MS = 15 * 60_000
const LOOK_BACK_MS = 2 * 3_600_000

/** From a quarter of an hour before the first of the starts, because what kills a runner may be older than it. */
export function chooseWindow(wish: WindowWish, starts: readonly (number | null)[], now: number): Window {
  const end = wish.until ?? now
  const known = starts.filter((start) => start !== null)
  const from = known.length === 0 ? Infinity : Math.min(...known) - BEFORE_MS
  return { from: wish.since ?? (from < end ? from : end - LOOK_BACK_MS), to: wish.until }
}
