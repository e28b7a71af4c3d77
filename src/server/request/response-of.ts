import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'

/** Null in a test without a connection. */
export function responseOf(c: Context): ServerResponse | null {
  const env: unknown = c.env
  if (typeof env !== 'object' || env === null || !('outgoing' in env)) return null
  return env.outgoing as ServerResponse
}
