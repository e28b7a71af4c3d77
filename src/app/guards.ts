import type { MiddlewareHandler } from 'hono'
import { openTokenFile } from '#/adapters/files/token-file.ts'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import type { Refusal } from '#/server/access/auth-problems.ts'
import { webhookGuard } from '#/server/access/auth-webhook.ts'
import { peerAddress } from '#/server/access/local-only.ts'
import { AppFailure } from '#/app/part/failure.ts'
import type { PartMeans } from '#/app/part/part.ts'

export function refusalCounter(metrics: Metrics): (why: Refusal) => void {
  const refusals = metrics.counter('signalbox_api_refusals_total', 'Requests that were not let in, by reason.')
  return (reason) => refusals.add(1, { reason })
}

/** For `/v1/audit`: admits who shows the token, and counts who is refused. */
export function openWebhookGuard(
  token: BearerToken | null,
  { clock, log, metrics }: Omit<PartMeans, 'config'>,
): MiddlewareHandler {
  const count = refusalCounter(metrics)
  return webhookGuard({
    token,
    peerAddress,
    clock,
    refused: (reason) => {
      count(reason)
      if (reason === 'unusable-token') {
        void token
          ?.fault()
          .then((why) => log.error('cannot check the token of audit.tokenFile', { why: why ?? 'unknown' }))
      }
    },
  })
}

/** A file that cannot be used is found when the program starts, not when somebody knocks. */
export async function openAuditToken(path: string | null): Promise<BearerToken | null> {
  if (path === null) return null
  const token = openTokenFile(path)
  const fault = await token.fault()
  if (fault === null) return token
  throw new AppFailure('configuration', `audit.tokenFile: ${fault}`, [
    'make one: openssl rand -hex 32 > FILE, readable for this user only',
  ])
}
