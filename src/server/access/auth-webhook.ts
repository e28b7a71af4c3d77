import type { Context, MiddlewareHandler } from 'hono'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Clock } from '#/ports/clock.ts'
import { bearerIn } from './auth.ts'
import { countFailures } from './auth-failures.ts'
import type { Failures } from './auth-failures.ts'
import { tooMany } from './auth-problems.ts'
import type { Refusal, Refused } from './auth-problems.ts'
import { sendProblem } from '#/server/request/problem.ts'

export type WebhookGuardOptions = {
  /** Null: nobody is admitted. */
  readonly token: BearerToken | null
  readonly peerAddress: (c: Context) => string | null
  readonly clock: Pick<Clock, 'now'>
  readonly refused?: (why: Refusal) => void
}

/** Admits who shows the one token of `audit.tokenFile`: an API server has no user who could create another. */
export function webhookGuard(options: WebhookGuardOptions): MiddlewareHandler {
  const failures = countFailures()
  return async (c, next) => {
    const refused = await judge(c, options, failures)
    if (refused === null) return next()
    options.refused?.(refused.why)
    return sendProblem(c, refused.problem)
  }
}

const THE_TOKEN =
  "the token from the server's audit.tokenFile (with the chart: from the Secret named by audit.existingSecret)"

async function judge(
  c: Context,
  { token, peerAddress, clock }: WebhookGuardOptions,
  failures: Failures,
): Promise<Refused | null> {
  if (token === null) return CLOSED
  const shown = bearerIn(c.req.header('authorization'))
  if (shown === null) return unauthorized('no-token', 'a token is required')
  const judged = await token.judge(shown)
  if (judged === 'right') return null
  if (judged === 'unusable') return UNUSABLE
  const [peer, now] = [peerAddress(c) ?? '', clock.now()]
  const waitMs = failures.waitMs(peer, now)
  if (waitMs > 0) return tooMany(waitMs)
  failures.add(peer, now)
  return unauthorized('wrong-token', 'the token is wrong')
}

function unauthorized(why: 'no-token' | 'wrong-token', detail: string): Refused {
  const headers = { 'www-authenticate': 'Bearer realm="signalbox"' }
  return { why, problem: { status: 401, detail, advice: [`send Authorization: Bearer TOKEN, ${THE_TOKEN}`], headers } }
}

const CLOSED: Refused = {
  why: 'closed',
  problem: {
    status: 403,
    detail: 'the server has no token configured for the audit webhook',
    advice: [
      'set audit.tokenFile (a file with a token of at least 24 characters) and restart the server; with the chart: audit.existingSecret',
    ],
  },
}

const UNUSABLE: Refused = {
  why: 'unusable-token',
  problem: {
    status: 503,
    detail: 'the server cannot use the token file of audit.tokenFile, so every request is refused',
    advice: ["see the server's log; with the chart, check the Secret named by audit.existingSecret"],
  },
}
