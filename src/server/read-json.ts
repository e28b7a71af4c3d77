import type { Context } from 'hono'
import type { z } from 'zod'
import { isWithinJsonBounds } from '#/core/basics/json-bounds.ts'
import type { JsonBounds } from '#/core/basics/json-bounds.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import type { Problem } from './problem.ts'
import { readAtMost } from './read-body.ts'

export type BodyLimits = JsonBounds & { readonly mostBytes: number }

export type BodyReading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'wrong'; readonly problem: Problem }

/** A body that fits its schema, or what is wrong with it. It is measured before it is parsed. */
export async function readJson<S extends z.ZodType>(
  c: Context,
  schema: S,
  limits: BodyLimits,
): Promise<BodyReading<z.output<S>>> {
  const body = await readAtMost(c.req.raw.body, limits.mostBytes)
  if (body === null) return wrong(413, `the body is larger than ${limits.mostBytes} bytes`)
  if (!isWithinJsonBounds(body, limits)) return wrong(413, 'the body has too many or too deeply nested values')
  const reading = parseJson(body.toString('utf8'))
  if (reading.kind === 'malformed') return wrong(400, `the body is not JSON: ${reading.why}`)
  const read = schema.safeParse(reading.value)
  if (read.success) return { kind: 'read', value: read.data }
  const [issue] = read.error.issues
  return wrong(400, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

export function malformed(detail: string): Problem {
  return { status: 400, detail, advice: ['see /v1/openapi.json'] }
}

function wrong(status: 400 | 413, detail: string): { readonly kind: 'wrong'; readonly problem: Problem } {
  return { kind: 'wrong', problem: { ...malformed(detail), status } }
}
