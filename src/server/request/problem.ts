import { STATUS_CODES } from 'node:http'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** What went wrong and what to do about it (RFC 9457). */
export type Problem = {
  readonly status: ContentfulStatusCode
  readonly detail: string
  /** For programs. */
  readonly reason?: string
  readonly advice?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

export function sendProblem(c: Context, { status, detail, reason, advice = [], headers = {} }: Problem): Response {
  const document = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, reason, advice }
  return c.body(JSON.stringify(document), status, { 'content-type': 'application/problem+json', ...headers })
}

export function onlyAllows(c: Context, methods: readonly string[]): Response {
  return sendProblem(c, {
    status: 405,
    detail: `${c.req.path} does not support ${c.req.method}`,
    advice: [`use ${methods.join(' or ')}`],
    headers: { allow: methods.join(', ') },
  })
}
