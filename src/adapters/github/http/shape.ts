import type { z } from 'zod'
import type { Blind, Seen } from '#/core/basics/observed.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Scrub } from './scrub.ts'

/** The value in the shape that we read, or blind with the place that is wrong. Values are never quoted. */
export function shape<T>(json: unknown, schema: z.ZodType<T>, scrub: Scrub): Seen<T> | Blind {
  const parsed = schema.safeParse(json)
  if (parsed.success) return seen(parsed.data)
  const [issue] = parsed.error.issues
  const place = issue === undefined || issue.path.length === 0 ? 'its top' : issue.path.join('.')
  return blind('malformed', scrub.text(`GitHub's answer has another shape at ${place}: ${issue?.message}`))
}
