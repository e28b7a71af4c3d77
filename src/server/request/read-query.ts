import type { Context } from 'hono'
import type { z } from 'zod'
import type { Problem } from './problem.ts'

/** Refuses unknown parameters: a filter that is silently ignored gives wrong answers. */
export function readQuery<S extends z.ZodObject>(c: Context, schema: S): z.output<S> | Problem {
  const given = c.req.queries()
  const repeated = Object.keys(given).find((key) => (given[key]?.length ?? 0) > 1)
  if (repeated !== undefined) return unreadable(`parameter ${repeated} is repeated`, schema)
  const read = schema.safeParse(c.req.query())
  if (read.success) return read.data
  const [issue] = read.error.issues
  if (issue?.code === 'unrecognized_keys') return unreadable(`unknown parameter ${issue.keys.join(', ')}`, schema)
  return unreadable(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, schema)
}

function unreadable(detail: string, { shape }: z.ZodObject): Problem {
  const advice = [`known parameters: ${Object.keys(shape).join(', ')}`, 'see /v1/openapi.json']
  return { status: 400, detail, advice }
}
