import { applyRules } from '#/core/redaction/redaction-rules.ts'

/** Makes text that GitHub, or something that answers in its place, wrote fit for a person's eyes. */
export type Scrub = {
  /** A value that must never be shown again, whatever its shape. */
  readonly remember: (value: string) => void
  readonly text: (raw: string) => string
}

/** Tokens roll every hour: what is older than this many is no longer valid. */
const REMEMBERED = 64
const LONGEST_TEXT = 200
/** Beyond this nobody reads, and a hostile answer should not make us search it. */
const LONGEST_RAW = 10_000

/** What has no known shape and is still no word. Hyphens would catch runner names; permissions are lower case. */
const LONG_RUN = /(?![a-z_=]+(?:[^A-Za-z0-9+/_=]|$))[A-Za-z0-9+/_=]{32,}/gu
const REDACTED = '‹redacted:credential›'

export function createScrub(): Scrub {
  const known = new Set<string>()
  return {
    remember: (value) => {
      if (value === '') return
      known.delete(value)
      known.add(value)
      const [oldest] = known
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
    },
    text: (raw) => {
      let clean = raw.slice(0, LONGEST_RAW)
      for (const value of known) clean = clean.replaceAll(value, REDACTED)
      clean = applyRules(clean).replaceAll(LONG_RUN, REDACTED)
      clean = clean.replaceAll(/[\p{C}\s]+/gu, ' ').trim()
      return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean
    },
  }
}
