import type { MiddlewareHandler } from 'hono'

/** Answers hold evidence: no browser guesses their type, keeps, frames or runs them. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

export const protectAnswers: MiddlewareHandler = async (c, next) => {
  await next()
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value)
}
