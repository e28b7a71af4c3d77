import type { Clock } from '#/ports/clock.ts'
import type { Secret } from '#/core/basics/secret.ts'

import type { AppJwt } from './app-jwt.ts'
import { signAppJwt } from './app-jwt.ts'
import type { Unsuccessful } from './ask.ts'
import { blindOutcome } from './ask.ts'
import type { Scrub } from './scrub.ts'

/** The App as itself: what only it may ask, and how it gets its installation tokens. */
export type AppIdentity = {
  /** `rejected`: a token that GitHub did not accept. */
  readonly token: (rejected?: string) => AppJwt | Unsuccessful
  /** The next token is dated by GitHub's clock, which is so far ahead of ours. */
  readonly correctClock: (aheadMs: number) => void
}

const REFRESH_BEFORE_MS = 60_000

export function createAppIdentity(
  { appId, privateKey }: { readonly appId: string; readonly privateKey: Secret },
  { clock, scrub }: { readonly clock: Clock; readonly scrub: Scrub },
): AppIdentity {
  let held: AppJwt | null = null
  let aheadMs = 0
  return {
    token: (rejected) => {
      const now = clock.now() + aheadMs
      if (held !== null && held.token !== rejected && held.expiresAt - now > REFRESH_BEFORE_MS) return held
      try {
        held = signAppJwt(appId, privateKey.reveal(), now)
      } catch {
        return blindOutcome('unauthenticated', `the private key of GitHub App ${appId} is not a readable PEM`)
      }
      scrub.remember(held.token)
      return held
    },
    correctClock: (ms) => {
      aheadMs = ms
    },
  }
}
