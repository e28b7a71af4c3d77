import type { HttpStream } from '#/adapters/http/exchange.ts'

/** A proxy's page of a login or an error may come as a success. */
export function isHtml({ headers }: Pick<HttpStream, 'headers'>): boolean {
  const type = headers['content-type']
  return typeof type === 'string' && type.includes('html')
}
