import { z } from 'zod'
import type { Clock } from '#/ports/clock.ts'
import type { Secret } from '#/core/basics/secret.ts'

import { createAppIdentity } from './app-identity.ts'
import type { Answer, Ask, Audience, Unsuccessful } from './ask.ts'
import { blindOutcome } from './ask.ts'
import { findInstallation } from './find-installation.ts'
import type { Scrub } from './scrub.ts'
import { shape } from './shape.ts'
import { shareWork } from './share-work.ts'

export type Credential =
  | {
      readonly kind: 'app'
      readonly appId: string
      readonly privateKey: Secret
      /** Else found by the owner's name. */
      readonly installationId?: number | undefined
    }
  | { readonly kind: 'token'; readonly token: Secret }

/** `credential` is a name that may be shown. */
export type Bearer = { readonly kind: 'bearer'; readonly token: string; readonly credential: string }

export type Tokens = {
  /** `rejected`: the token that GitHub just answered with 401; another one is wanted. */
  readonly bearer: (as: Audience, rejected?: string) => Promise<Bearer | Unsuccessful>
  /** GitHub refused the App's own token: the next one is dated by GitHub's clock, which is so far ahead. */
  readonly correctClock: (aheadMs: number) => void
}

type TokenMeans = {
  readonly clock: Clock
  /** Tokens end when GitHub's clock says so. */
  readonly githubClock: Clock
  readonly scrub: Scrub
  readonly ask: (ask: Ask) => Promise<Answer>
}

export function createTokens(credential: Credential, means: TokenMeans): Tokens {
  if (credential.kind === 'token') return fixedToken(credential.token.reveal(), means.scrub)
  const identity = createAppIdentity(credential, means)
  const findInstallation = createInstallationFinder(means)
  const issueToken = createIssuer(means)
  return {
    bearer: async (as, rejected) => {
      if (as.kind === 'app') return bearer(identity.token(rejected), `app ${credential.appId}`)
      const id = credential.installationId ?? (await findInstallation(as.owner))
      return typeof id === 'number' ? bearer(await issueToken(id, rejected), `installation ${id}`) : id
    },
    correctClock: identity.correctClock,
  }
}

function fixedToken(token: string, scrub: Scrub): Tokens {
  scrub.remember(token)
  return {
    bearer: async (as) =>
      as.kind === 'app'
        ? blindOutcome('unsupported', 'only a GitHub App may ask this, and the credential is a token')
        : { kind: 'bearer', token, credential: 'token' },
    correctClock: () => undefined,
  }
}

type Issued = { readonly token: string; readonly expiresAt: number }

function bearer(issued: Issued | Unsuccessful, credential: string): Bearer | Unsuccessful {
  return 'token' in issued ? { kind: 'bearer', token: issued.token, credential } : issued
}

const MOST_OWNERS = 1000
const installationSchema = z.object({ id: z.int().positive() })

/** An App that is removed and installed again gets another id, so that what we know is not believed for ever. */
const BELIEVED_MS = 10 * 60_000

function createInstallationFinder({
  ask,
  scrub,
  clock,
}: TokenMeans): (owner: string) => Promise<number | Unsuccessful> {
  const found = new Map<string, { readonly id: number; readonly until: number }>()
  const find = async (owner: string): Promise<number | Unsuccessful> => {
    const answer = await findInstallation(ask, owner)
    if (answer.kind === 'absent') return notInstalled(owner)
    if (answer.kind !== 'ok') return answer
    const parsed = shape(answer.json, installationSchema, scrub)
    if (parsed.kind === 'blind') return parsed
    if (found.size >= MOST_OWNERS) found.clear()
    found.set(owner, { id: parsed.value.id, until: clock.now() + BELIEVED_MS })
    return parsed.value.id
  }
  const findOnce = shareWork(find)
  return async (owner) => {
    const key = owner.toLowerCase()
    const known = found.get(key)
    return known !== undefined && known.until > clock.now() ? known.id : findOnce(key)
  }
}

const REFRESH_BEFORE_MS = 5 * 60_000
const accessTokenSchema = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) })

/** Tokens are good for an hour and shared by all requests of an installation. */
function createIssuer({
  ask,
  githubClock,
  scrub,
}: TokenMeans): (installation: number, rejected?: string) => Promise<Issued | Unsuccessful> {
  const held = new Map<number, Issued>()
  const issue = async (installation: number): Promise<Issued | Unsuccessful> => {
    const path = ['app', 'installations', installation, 'access_tokens']
    const answer = await ask({ method: 'POST', path, as: { kind: 'app' }, again: 'harmless' })
    if (answer.kind === 'absent') return notInstalled(`installation ${installation}`)
    if (answer.kind !== 'ok') return answer
    const parsed = shape(answer.json, accessTokenSchema, scrub)
    if (parsed.kind === 'blind') return parsed
    const issued = { token: parsed.value.token, expiresAt: Date.parse(parsed.value.expires_at) }
    scrub.remember(issued.token)
    held.set(installation, issued)
    return issued
  }
  const issueOnce = shareWork(issue)
  return async (installation, rejected) => {
    const known = held.get(installation)
    const isFresh = known !== undefined && known.expiresAt - githubClock.now() > REFRESH_BEFORE_MS
    return isFresh && known.token !== rejected ? known : issueOnce(installation)
  }
}

function notInstalled(where: string): Unsuccessful {
  return blindOutcome('forbidden', `the GitHub App is not installed at ${where}`)
}
