import { verify } from 'node:crypto'
import type { SimApp } from '#/sim/github/world/app.ts'

export type JwtCheck = { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly message: string }

const MAX_LIFE_SECONDS = 600
const SKEW_SECONDS = 60

const UNDECODABLE = 'A JSON web token could not be decoded'
const BAD_ISSUED_AT = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
const BAD_EXPIRATION =
  "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
const TOO_FAR = "'Expiration time' claim ('exp') is too far in the future"
const BAD_ISSUER = "'Issuer' claim ('iss') must be an Integer"

/** Rules and messages are GitHub's. `exp` counts from GitHub's clock, so a client whose clock is ahead is refused. */
export function checkAppJwt(token: string, app: SimApp, nowMs: number): JwtCheck {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.')
  const claims = rest.length === 0 && decoded(header)?.['alg'] === 'RS256' ? decoded(payload) : null
  if (claims === null) return refused(UNDECODABLE)
  const problem = issuerProblem(claims['iss'], app)
  if (problem !== null) return refused(problem)
  if (!isSigned(`${header}.${payload}`, signature, app)) return refused(UNDECODABLE)
  return checkTimes(claims['iat'], claims['exp'], Math.floor(nowMs / 1_000))
}

/** The App is named by its id or by its client id. */
function issuerProblem(issuer: unknown, app: SimApp): string | null {
  if (typeof issuer !== 'number' && typeof issuer !== 'string') return BAD_ISSUER
  return String(issuer) === String(app.id) || issuer === app.clientId ? null : 'Integration not found'
}

function isSigned(signed: string, signature: string, app: SimApp): boolean {
  return verify('sha256', Buffer.from(signed), app.publicKeyPem, Buffer.from(signature, 'base64url'))
}

function checkTimes(issuedAt: unknown, expiresAt: unknown, now: number): JwtCheck {
  if (!Number.isInteger(issuedAt) || Number(issuedAt) > now + SKEW_SECONDS) return refused(BAD_ISSUED_AT)
  if (typeof expiresAt !== 'number' || expiresAt <= now) return refused(BAD_EXPIRATION)
  if (expiresAt > now + MAX_LIFE_SECONDS) return refused(TOO_FAR)
  return { kind: 'accepted' }
}

function decoded(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

function refused(message: string): JwtCheck {
  return { kind: 'refused', message }
}
