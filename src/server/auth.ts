import type { Context, MiddlewareHandler } from 'hono'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Clock } from '#/ports/clock.ts'
import { countFailures } from './auth-failures.ts'
import type { Failures } from './auth-failures.ts'
import { readCaller, whyNotLocal } from './local-only.ts'
import { sendProblem } from './problem.ts'
import type { Problem } from './problem.ts'

export type Refusal = 'beyond-this-machine' | 'no-token' | 'wrong-token' | 'unusable-token' | 'too-many-wrong-tokens'

/** People who installed the chart know its value, not the setting it becomes. */
const VALUE_OF_THE_CHART = { 'api.tokenFile': 'api.existingSecret', 'audit.tokenFile': 'audit.existingSecret' } as const
type TokenSetting = keyof typeof VALUE_OF_THE_CHART

export type GuardOptions = {
  readonly peerAddress: (c: Context) => string | null
  readonly token: BearerToken | null
  /** The setting that names the token file. */
  readonly setting: TokenSetting
  /** Whether callers on this machine need no token. */
  readonly opensToThisMachine: boolean
  readonly clock: Pick<Clock, 'now'>
  readonly refused?: (why: Refusal) => void
}

type Judgement = { readonly why: Refusal; readonly problem: Problem }

/** Admits callers with the token and, if enabled, callers on this machine. */
export function guard(options: GuardOptions): MiddlewareHandler {
  const failures = countFailures()
  return async (c, next) => {
    const refused = await judge(c, options, failures)
    if (refused === null) return next()
    options.refused?.(refused.why)
    return sendProblem(c, refused.problem)
  }
}

async function judge(c: Context, options: GuardOptions, failures: Failures): Promise<Judgement | null> {
  const shown = bearerIn(c.req.header('authorization'))
  if (shown !== null && options.token !== null) return judgeToken(shown, options.token, { c, options, failures })
  const foreign = options.opensToThisMachine ? whyNotLocal(readCaller(c, options.peerAddress)) : 'a token is required'
  if (foreign === null) return null
  return options.token === null ? closed(foreign, options) : unnamed(foreign, options)
}

function bearerIn(header: string | undefined): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1] ?? null
}

async function judgeToken(
  shown: string,
  token: BearerToken,
  { c, options, failures }: { readonly c: Context; readonly options: GuardOptions; readonly failures: Failures },
): Promise<Judgement | null> {
  const now = options.clock.now()
  const peer = options.peerAddress(c) ?? ''
  const judged = await token.judge(shown)
  // Many callers can share one proxy address: wrong guesses must not lock out the others.
  if (judged === 'right') return null
  if (judged === 'unusable') return unusable(options)
  const waitMs = failures.waitMs(peer, now)
  if (waitMs > 0) return tooMany(waitMs)
  failures.add(peer, now)
  return {
    why: 'wrong-token',
    problem: {
      status: 401,
      detail: 'the token is wrong',
      advice: [`use ${theToken(options)}`],
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    },
  }
}

function tooMany(waitMs: number): Judgement {
  const seconds = Math.ceil(waitMs / 1000)
  return {
    why: 'too-many-wrong-tokens',
    problem: {
      status: 429,
      detail: 'too many wrong tokens from this address',
      advice: [`try again in ${seconds} s`],
      headers: { 'retry-after': String(seconds) },
    },
  }
}

function theToken({ setting }: GuardOptions): string {
  const value = VALUE_OF_THE_CHART[setting]
  return `the token from the server's ${setting} (with the chart: from the Secret named by ${value})`
}

function unusable({ setting }: GuardOptions): Judgement {
  return {
    why: 'unusable-token',
    problem: {
      status: 503,
      detail: `the server cannot use the token file of ${setting}, so every request is refused`,
      advice: [`see the server's log; with the chart, check the Secret named by ${VALUE_OF_THE_CHART[setting]}`],
    },
  }
}

function unnamed(why: string, options: GuardOptions): Judgement {
  const here = options.opensToThisMachine
    ? ['or call it through 127.0.0.1 on the machine where signalbox serve runs']
    : []
  return {
    why: 'no-token',
    problem: {
      status: 401,
      detail: `${why}, and it has no token`,
      advice: [`send Authorization: Bearer TOKEN, ${theToken(options)}`, ...here],
      headers: { 'www-authenticate': 'Bearer' },
    },
  }
}

function closed(why: string, { setting, opensToThisMachine }: GuardOptions): Judgement {
  const value = VALUE_OF_THE_CHART[setting]
  const configure = `set ${setting} (a file with a token of at least 24 characters) and restart the server; with the chart: ${value}`
  const here = ['call it through 127.0.0.1 on the machine where signalbox serve runs', `or ${configure}`]
  return {
    why: 'beyond-this-machine',
    problem: {
      status: 403,
      detail: `${why}, and the server has no token configured`,
      advice: opensToThisMachine ? here : [configure],
    },
  }
}
