import { mark } from './redaction-kinds.ts'

/** Ends a line that was too long. */
export const CUT = mark('overlong-line')

export function endOfLine(text: string, from: number): number {
  const feed = text.indexOf('\n', from)
  const end = feed < 0 ? text.length : feed
  return end > from && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end
}

/** Also where we cut a line ourselves. */
export function isEndOfLine(text: string, at: number): boolean {
  if (text.startsWith(CUT, at)) return true
  const code = at >= text.length ? 0x0a : text.charCodeAt(at)
  return code === 0x0a || (code === 0x0d && (at + 1 === text.length || text.charCodeAt(at + 1) === 0x0a))
}
