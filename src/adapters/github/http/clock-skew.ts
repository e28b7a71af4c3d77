import type { Clock } from '#/ports/clock.ts'

/** How far GitHub's clock is ahead of ours, by the Date of its answers. */
export type ClockSkew = {
  readonly note: (date: string | null) => void
  readonly aheadMs: () => number | null
  /** Our clock where it agrees with GitHub's, else GitHub's: for times in GitHub's answers. */
  readonly githubClock: Clock
  /** A remark for a person where the difference is large enough to make GitHub refuse a token; else empty. */
  readonly remark: () => string
}

/** The Date has whole seconds and is as old as the answer's way to us. */
const NOTABLE_MS = 30_000

export function createClockSkew(clock: Clock): ClockSkew {
  let aheadMs: number | null = null
  const isNotable = (): boolean => aheadMs !== null && Math.abs(aheadMs) >= NOTABLE_MS
  return {
    note: (date) => {
      const at = date === null ? Number.NaN : Date.parse(date)
      if (!Number.isNaN(at)) aheadMs = at - clock.now()
    },
    aheadMs: () => aheadMs,
    githubClock: { now: () => clock.now() + (isNotable() ? (aheadMs ?? 0) : 0), sleep: clock.sleep },
    remark: () => {
      if (aheadMs === null || !isNotable()) return ''
      const direction = aheadMs > 0 ? 'behind' : 'ahead of'
      return `; this machine's clock is ${Math.round(Math.abs(aheadMs) / 1000)} s ${direction} GitHub's`
    },
  }
}
