import { createHash } from 'node:crypto'

/**
 * GitHub's tags are weak and depend on who asks: a fresh installation token, every hour, makes every known tag stale.
 */
export async function withEtag(request: Request, response: Response): Promise<Response> {
  const isPlain = response.headers.get('content-type')?.startsWith('application/json') ?? false
  if (request.method !== 'GET' || response.status !== 200 || !isPlain) return response
  const body = await response.text()
  const etag = computeTag(request, body)
  const headers = new Headers(response.headers)
  headers.set('etag', etag)
  headers.set('cache-control', 'private, max-age=60, s-maxage=60')
  headers.set('vary', 'Accept, Authorization, Cookie, X-GitHub-OTP')
  if (!asksFor(request, etag)) return new Response(body, { status: 200, headers })
  headers.delete('content-type')
  return new Response(null, { status: 304, headers })
}

function computeTag(request: Request, body: string): string {
  const hash = createHash('sha256')
  for (const part of [request.headers.get('authorization'), request.headers.get('accept'), body]) {
    hash.update(`${part ?? ''}\n`)
  }
  return `W/"${hash.digest('hex')}"`
}

function asksFor(request: Request, etag: string): boolean {
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  return known.some((candidate) => strong(candidate.trim()) === strong(etag))
}

function strong(tag: string): string {
  return tag.replace(/^W\//, '')
}
