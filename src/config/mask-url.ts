export const HIDDEN = '***'

/** An address without its passwords; the whole is hidden where it cannot be told what is one. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return HIDDEN
  const url = new URL(text)
  if (url.password !== '') url.password = HIDDEN
  for (const name of url.searchParams.keys().toArray()) {
    if (/pass|secret|token|key/i.test(name)) url.searchParams.set(name, HIDDEN)
  }
  return url.href
}
