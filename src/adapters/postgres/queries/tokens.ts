import type { NewToken, StoredToken } from '#/ports/store/tokens.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const FORGET_TOKENS = `delete from tokens where least(revoked_at, expires_at) < $1`

const FREE_NAME = `update tokens set revoked_at = $2 where name = $1 and revoked_at is null and expires_at <= $2`

const ADD_TOKEN = `
  insert into tokens (digest, name, role, created_at, created_by, expires_at) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing`

/** In a transaction. */
export async function addToken(db: Queryable, token: NewToken, forgetBefore: number): Promise<'added' | 'taken'> {
  const { digest, name, role, createdAt, createdBy, expiresAt } = token
  await db.query({ text: FORGET_TOKENS, values: [forgetBefore] })
  await db.query({ text: FREE_NAME, values: [name, createdAt] })
  const { rowCount } = await db.query({
    text: ADD_TOKEN,
    values: [digest, name, role, createdAt, createdBy, expiresAt],
  })
  return rowCount === 1 ? 'added' : 'taken'
}

const LIST_TOKENS = `
  select digest, name, role, created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
    last_used_at as "lastUsedAt", revoked_at as "revokedAt"
  from tokens order by name, created_at, digest`

export async function listTokens(db: Queryable): Promise<readonly StoredToken[]> {
  const { rows } = await db.query<StoredToken>({ text: LIST_TOKENS, types: storedTypes, values: [] })
  return rows
}

export async function revokeToken(db: Queryable, name: string, at: number): Promise<'revoked' | 'unknown'> {
  const text = 'update tokens set revoked_at = $2 where name = $1 and revoked_at is null'
  const { rowCount } = await db.query({ text, values: [name, at] })
  return rowCount === 1 ? 'revoked' : 'unknown'
}

export async function useToken(db: Queryable, digest: string, at: number): Promise<void> {
  const text = 'update tokens set last_used_at = $2 where digest = $1 and (last_used_at is null or last_used_at < $2)'
  await db.query({ text, values: [digest, at] })
}
