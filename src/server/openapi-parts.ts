import { z } from 'zod'
import { documents, problemDocument } from './openapi-schemas.ts'

export type Json = Readonly<Record<string, unknown>>

/** The role is named as a scope, which OpenAPI 3.1 permits for every scheme. Without a token: the Unix socket. */
export const READ = [{ token: ['read'] }, {}]
export const OPERATE = [{ token: ['operate'] }, {}]

/** Possible errors of every request that requires a token. */
export const GUARDED = [401, 403, 429]

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Malformed request',
  401: 'No token, or one that is wrong, expired or revoked',
  403: 'The role of the token does not permit this; for the audit webhook: no token is configured',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'No evidence is stored for this death, the name of the token is taken, the attempt has ended, the job cannot be retried, or several pools have this name',
  413: 'Body too large',
  415: 'Compressed bodies are not supported',
  422: 'What the attempt is about to remove is not in it, or cannot be redacted: nothing is stored',
  429: 'Too many requests at once, or too many wrong tokens',
  503: 'The database, the token file or the recorder is unavailable',
}

export function problems(...statuses: readonly number[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: MEANINGS[status],
        content: { 'application/problem+json': { schema: referenceTo(problemDocument) } },
      },
    ]),
  )
}

export function json(description: string, schema: z.ZodType): Json {
  return { description, content: { 'application/json': { schema: referenceTo(schema) } } }
}

export function referenceTo(schema: z.ZodType): Json {
  return { $ref: schemaReference(documents.get(schema)?.id ?? '') }
}

export function schemaReference(id: string): string {
  return `#/components/schemas/${id}`
}

export function queryParameters(shape: Readonly<Record<string, z.ZodType>>): readonly Json[] {
  return Object.entries(shape).map(([name, schema]) => {
    // Query values arrive as text; their schema describes the parsed value, except for the page cursor.
    const io = name === 'after' ? 'input' : 'output'
    const { $schema: _dialect, description, default: _preset, ...rest } = z.toJSONSchema(schema, { io })
    const required = !schema.safeParse(undefined).success
    return { name, in: 'query', required, description: description ?? '', schema: rest }
  })
}
