/** In place of a cause's kind: the row is what was kept before an act, and no death. It is in no list of deaths. */
export const BEFORE_ACT = 'before-act'

/** The UID of what was kept before an attempt, from the digest of its id. No pod can have it: those are of version 4. */
export function toEvidenceUid(digest: string): string {
  const [a, b, c, d, e] = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    digest.slice(13, 16),
    digest.slice(17, 20),
    digest.slice(20, 32),
  ]
  return `${a}-${b}-8${c}-8${d}-${e}`
}
