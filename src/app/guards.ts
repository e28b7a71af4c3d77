import type { MiddlewareHandler } from 'hono'
import { openTokenFile } from '#/adapters/files/token-file.ts'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Log } from '#/ports/log.ts'
import { guard } from '#/server/auth.ts'
import type { GuardOptions } from '#/server/auth.ts'
import { peerAddress } from '#/server/local-only.ts'
import { AppFailure } from './failure.ts'
import type { PartMeans } from './part.ts'

/** Lets in who shows the token, and counts who is refused. */
export function countingGuard(
  token: BearerToken | null,
  wish: Pick<GuardOptions, 'setting' | 'opensToThisMachine'>,
  { clock, log, metrics }: Omit<PartMeans, 'config'>,
): MiddlewareHandler {
  const refusals = metrics.counter('signalbox_api_refusals_total', 'Requests that were not let in, by reason.')
  return guard({
    ...wish,
    token,
    peerAddress,
    clock,
    refused: (reason) => {
      refusals.add(1, { reason })
      if (reason === 'unusable-token') void logFault(token, wish.setting, log)
    },
  })
}

/** A file that cannot be used is found when the program starts, not when somebody knocks. */
export async function openToken(path: string | null, setting: string): Promise<BearerToken | null> {
  if (path === null) return null
  const token = openTokenFile(path)
  const fault = await token.fault()
  if (fault === null) return token
  throw new AppFailure('configuration', `${setting}: ${fault}`, [
    'make one: openssl rand -hex 32 > FILE, readable for this user only',
  ])
}

async function logFault(token: BearerToken | null, setting: string, log: Log): Promise<void> {
  log.error('cannot check API tokens', { setting, why: (await token?.fault()) ?? 'unknown' })
}
