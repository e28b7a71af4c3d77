import type { Installation, Permissions, SimApp } from '#/sim/github/world/app.ts'
import { checkAppJwt } from './app-jwt.ts'
import type { Seeded } from '#/sim/github/world/seeded.ts'
import type { Account } from '#/sim/github/world/world-state.ts'

const HOUR = 3_600_000

/** Who is asking. The budget names the rate limit that the call is charged to. */
export type Principal =
  | { readonly kind: 'anonymous'; readonly budget: string }
  | { readonly kind: 'app'; readonly budget: string }
  | TokenPrincipal

export type TokenPrincipal = {
  readonly kind: 'token'
  readonly budget: string
  readonly bearer: 'integration' | 'personal access token'
  readonly installation: number | null
  readonly account: Account
  readonly permissions: Permissions
  /** Full names; `null` means all repositories of the account. */
  readonly repositories: readonly string[] | null
}

export type Identification =
  | { readonly kind: 'known'; readonly principal: Principal }
  | { readonly kind: 'refused'; readonly message: string }

const BAD_CREDENTIALS: Identification = { kind: 'refused', message: 'Bad credentials' }

type IssuedToken = { readonly principal: TokenPrincipal; readonly expiresAt: number | null }

export type Credentials = {
  readonly identify: (authorization: string | null, now: number) => Identification
  readonly issue: (
    installation: Installation,
    narrowed: { readonly permissions: Permissions; readonly repositories: readonly string[] | null },
    now: number,
  ) => { readonly token: string; readonly expiresAt: number }
  /** A fine-grained personal access token for one resource owner. */
  readonly addPersonalToken: (owner: Account, permissions: Permissions) => string
  /** As if somebody pressed "revoke": the next call with it is 401. */
  readonly revoke: (token: string) => void
}

export function createCredentials(app: SimApp, seeded: Seeded): Credentials {
  const issued = new Map<string, IssuedToken>()

  const known = (principal: Principal): Identification => ({ kind: 'known', principal })
  return {
    identify: (authorization, now) => {
      if (authorization === null) return known({ kind: 'anonymous', budget: 'anonymous' })
      const token = /^(?:bearer|token) (\S+)$/i.exec(authorization)?.[1]
      if (token === undefined) return BAD_CREDENTIALS
      if (/^(?:gh[a-z]|github_pat)_/.test(token)) {
        const held = issued.get(token)
        const isLive = held !== undefined && (held.expiresAt === null || held.expiresAt > now)
        return isLive ? known(held.principal) : BAD_CREDENTIALS
      }
      if (!token.includes('.')) return BAD_CREDENTIALS
      const check = checkAppJwt(token, app, now)
      return check.kind === 'accepted' ? known({ kind: 'app', budget: `app:${app.id}` }) : check
    },
    issue: (installation, narrowed, now) => {
      // The stateless form that GitHub mints since 2026: long, with dots, and nothing to be parsed.
      const token = `ghs_${app.id}_${seeded.hex(40)}.${seeded.hex(240)}.${seeded.hex(80)}`
      const expiresAt = now + HOUR
      const principal: TokenPrincipal = {
        kind: 'token',
        budget: `installation:${installation.id}`,
        bearer: 'integration',
        installation: installation.id,
        account: installation.account,
        ...narrowed,
      }
      issued.set(token, { principal, expiresAt })
      return { token, expiresAt }
    },
    addPersonalToken: (owner, permissions) => {
      const token = `github_pat_${seeded.hex(59)}`
      issued.set(token, {
        principal: {
          kind: 'token',
          budget: `user:${owner.login}`,
          bearer: 'personal access token',
          installation: null,
          account: owner,
          permissions,
          repositories: null,
        },
        expiresAt: null,
      })
      return token
    },
    revoke: (token) => {
      issued.delete(token)
    },
  }
}
