import { parseDuration } from './duration.ts'

/** The form that `parseMoment` accepts, for messages. */
export const MOMENT_FORM = 'a time with its zone (2026-06-06T21:40:00Z) or how long ago (90m, 2h)'

/** Milliseconds since the epoch, or null. Without a zone a time would depend on the machine that reads it. */
export function parseMoment(text: string, now: number): number | null {
  const ago = parseDuration(text)
  if (ago !== null) return now - ago
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return null
  const at = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(at) ? null : at
}
