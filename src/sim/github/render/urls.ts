/** Where a caller finds things: on the host that it called, or on the configured one where nobody called (webhooks). */
export type Urls = { readonly api: string; readonly web: string }

export function urlsFor(origin: string, basePath: string): Urls {
  return { api: `${origin}${basePath}`, web: origin }
}
