import { z } from 'zod'
import { ROLES } from '#/core/access/role.ts'
import { isTokenName, TOKEN_NAME_FORM } from '#/core/access/token.ts'
import { document, milliseconds, schemaVersion } from './openapi-schemas.ts'

const role = z.enum(ROLES).meta({ description: '`operate` includes `read`' })
const expiresAt = milliseconds.nullable().meta({ description: 'Milliseconds since 1970, UTC; null: never' })

/** What `POST /v1/tokens` takes. */
export const newToken = document(
  'NewToken',
  z.strictObject({
    name: z
      .string()
      .max(63)
      .refine(isTokenName, `must have ${TOKEN_NAME_FORM}`)
      .meta({ description: `In logs and lists: ${TOKEN_NAME_FORM}` }),
    role,
    expiresAt,
  }),
)

export const createdToken = document(
  'CreatedToken',
  z.strictObject({
    schemaVersion,
    token: z.string().meta({ description: 'The token. It is shown here only: the server keeps its SHA-256' }),
    name: z.string(),
    role,
    createdAt: milliseconds,
    createdBy: z.string().meta({ description: 'The actor' }),
    expiresAt,
  }),
)

const moment = milliseconds.nullable()

export const tokensPage = document(
  'Tokens',
  z.strictObject({
    schemaVersion,
    tokens: z.array(
      z.strictObject({
        name: z.string(),
        role,
        state: z.enum(['valid', 'expired', 'revoked']),
        source: z.enum(['store', 'file']).meta({ description: 'A token of a file is changed in that file' }),
        createdAt: moment,
        createdBy: z.string().nullable(),
        expiresAt,
        revokedAt: moment,
        lastUsedAt: moment.meta({ description: 'To the minute; for a token of a file: since the server started' }),
      }),
    ),
  }),
)

export const revokedToken = document('RevokedToken', z.strictObject({ schemaVersion, revoked: z.string() }))
