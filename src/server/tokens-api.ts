import { Hono } from 'hono'
import type { Context } from 'hono'
import { tokenState } from '#/core/access/token.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Tokens } from '#/ports/store/tokens.ts'
import type { Guards } from '#/server/access/auth.ts'
import { SCHEMA_VERSION } from './openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { readAtMost } from '#/server/request/read-body.ts'
import { callerOf } from '#/server/access/caller.ts'
import type { TokenBook } from '#/server/access/token-book.ts'
import { newToken } from './token-schemas.ts'
import { digestOf, mintToken } from '#/server/access/token-text.ts'

export type TokensApiOptions = {
  readonly guards: Guards
  readonly store: Pick<Tokens, 'add' | 'revoke'>
  readonly book: Pick<TokenBook, 'list' | 'changed'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info'>
}

const MOST_BODY_BYTES = 4096
const MOST_VALID = 500
/** Until then the holder of a token that ended learns that it did. */
const FORGET_AFTER_MS = 90 * 86_400_000

/** `/v1/tokens`. All of it needs `operate`: who may read deaths need not know who else may. */
export function tokensApi({ guards, store, book, clock, log }: TokensApiOptions): Hono {
  const api = new Hono()
  api.get('/', guards.operate, async (c) => {
    const now = clock.now()
    const tokens = (await book.list()).map((token) => Object.assign({ state: tokenState(token, now) }, token))
    return c.json({ schemaVersion: SCHEMA_VERSION, tokens })
  })
  api.post('/', guards.operate, async (c) => {
    const now = clock.now()
    const asked = await readNew(c, now)
    if ('status' in asked) return sendProblem(c, asked)
    const valid = (await book.list()).filter((token) => tokenState(token, now) === 'valid')
    if (valid.length >= MOST_VALID) return sendProblem(c, FULL)
    const token = mintToken()
    const { actor } = callerOf(c)
    const made = { ...asked, createdAt: now, createdBy: actor }
    const added = await store.add({ ...made, digest: digestOf(token) }, now - FORGET_AFTER_MS)
    if (added === 'taken') return sendProblem(c, taken(asked.name))
    book.changed()
    log.info('token created', { actor, name: asked.name, role: asked.role, expires: printExpiry(asked.expiresAt) })
    return c.json({ schemaVersion: SCHEMA_VERSION, token, ...made }, 201)
  })
  api.all('/', guards.operate, (c) => onlyAllows(c, ['GET', 'HEAD', 'POST']))
  api.delete('/:name', guards.operate, async (c) => {
    const name = c.req.param('name')
    const revoked = await store.revoke(name, clock.now())
    if (revoked === 'unknown') return sendProblem(c, UNKNOWN)
    book.changed()
    log.info('token revoked', { actor: callerOf(c).actor, name })
    return c.json({ schemaVersion: SCHEMA_VERSION, revoked: name })
  })
  api.all('/:name', guards.operate, (c) => onlyAllows(c, ['DELETE']))
  return api
}

const FULL: Problem = {
  status: 409,
  detail: `there are ${MOST_VALID} valid tokens already`,
  advice: ['revoke those that are not used: signalbox token list, signalbox token revoke NAME'],
}

const UNKNOWN: Problem = {
  status: 404,
  detail: 'no token with this name is stored',
  advice: ['see: signalbox token list; remove a token of a file from that file'],
}

function taken(name: string): Problem {
  return {
    status: 409,
    detail: `a token named ${name} exists`,
    advice: ['use another name; to rotate: create the new one, switch over, then revoke the old one'],
  }
}

function printExpiry(at: number | null): string {
  return at === null ? 'never' : new Date(at).toISOString()
}

async function readNew(c: Context, now: number) {
  const body = await readAtMost(c.req.raw.body, MOST_BODY_BYTES)
  if (body === null) return malformed(`the body is larger than ${MOST_BODY_BYTES} bytes`)
  const read = newToken.safeParse(parseBody(body))
  if (!read.success) {
    const [issue] = read.error.issues
    return malformed(`${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
  }
  const { expiresAt } = read.data
  return expiresAt === null || expiresAt > now ? read.data : malformed('expiresAt is in the past')
}

function malformed(detail: string): Problem {
  return { status: 400, detail, advice: ['see /v1/openapi.json'] }
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
