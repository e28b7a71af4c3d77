/** Where a Location leads; null for nowhere, and for a step down from TLS. */
export function redirectTarget(location: string, from: URL): URL | null {
  const to = location === '' ? null : URL.parse(location, from.href)
  return to !== null && (to.protocol === 'https:' || to.protocol === from.protocol) ? to : null
}
