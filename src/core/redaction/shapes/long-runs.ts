import { characters, isMember, runEnd } from './characters.ts'

const BASE64 = characters('A-Za-z0-9+/')
/** Shorter ones are words, names and digests in hexadecimal. */
export const LONG_RUN = 40

export type LongRun = { readonly from: number; readonly to: number }

/**
 * The next run of base64 characters of at least forty, with capitals and small letters,. Looks at every
 * fortieth character, and around it only if it could be part of such a run.
 */
export function nextLongRun(text: string, from: number): LongRun | null {
  let start = from
  while (start + LONG_RUN <= text.length) {
    const at = lastOutside(text, start)
    if (at >= 0) {
      start = at + 1
      continue
    }
    const to = runEnd(text, start + LONG_RUN, BASE64)
    if (isMixed(text, start, to)) return { from: start, to }
    start = to + 1
  }
  return null
}

/** The last of the next forty characters that no run can have, or -1. */
function lastOutside(text: string, start: number): number {
  for (let at = start + LONG_RUN - 1; at >= start; at -= 1) if (!isMember(text, at, BASE64)) return at
  return -1
}

/** Digests in hexadecimal have no capitals. */
function isMixed(text: string, from: number, to: number): boolean {
  let hasUpper = false
  let hasLower = false
  for (let at = from; at < to && !(hasUpper && hasLower); at += 1) {
    const code = text.charCodeAt(at)
    if (code >= 0x61) hasLower = true
    else if (code >= 0x41) hasUpper = true
  }
  return hasUpper && hasLower
}
