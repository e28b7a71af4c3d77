export const HIDDEN = '***'

/** A URL without its passwords; hidden as a whole when it cannot be parsed. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return HIDDEN
  const url = new URL(text)
  if (url.password !== '') url.password = HIDDEN
  for (const name of url.searchParams.keys().toArray()) {
    if (/pass|secret|token|key/i.test(name)) url.searchParams.set(name, HIDDEN)
  }
  return url.href
}
