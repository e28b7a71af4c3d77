/** The form that `parseDuration` accepts, for messages. */
export const DURATION_FORM = 'a number with ms, s, m, h, d or w, for example 90s, 1h30m or 30d'

const UNITS_MS = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const
type Unit = keyof typeof UNITS_MS

/** Largest first and each at most once, so that `5m1h` and `1h1h` are rejected as typos. */
const FORM = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/
const ORDER: readonly Unit[] = ['w', 'd', 'h', 'm', 's', 'ms']

/** Milliseconds, or null if it is not a duration. A bare number has no unit and is not one. */
export function parseDuration(text: string): number | null {
  if (text.length === 0 || text.length > 64) return null
  const counts = FORM.exec(text)?.slice(1)
  if (counts === undefined) return null
  const ms = ORDER.reduce((sum, unit, index) => sum + Number(counts[index] ?? 0) * UNITS_MS[unit], 0)
  return Number.isSafeInteger(ms) ? ms : null
}

/** The exact text of a whole number of milliseconds; `parseDuration` reads it back. */
export function formatDuration(ms: number): string {
  let left = Math.abs(Math.trunc(ms))
  if (left === 0) return '0s'
  let text = ms < 0 ? '-' : ''
  for (const unit of ORDER.filter((unit) => unit !== 'w')) {
    const count = Math.floor(left / UNITS_MS[unit])
    left -= count * UNITS_MS[unit]
    if (count > 0) text += `${count}${unit}`
  }
  return text
}
