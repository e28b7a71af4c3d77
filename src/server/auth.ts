import type { Context, MiddlewareHandler } from 'hono'
import type { BearerToken } from '#/ports/bearer-token.ts'
import type { Clock } from '#/ports/clock.ts'
import { countFailures } from './auth-failures.ts'
import type { Failures } from './auth-failures.ts'
import { callerOf, whyNotLocal } from './local-only.ts'
import { tellProblem } from './problem.ts'
import type { Problem } from './problem.ts'

export type Refusal = 'beyond-this-machine' | 'no-token' | 'wrong-token' | 'unusable-token' | 'too-many-wrong-tokens'

/** Who installed the chart knows its value, and not the setting that it makes. */
const VALUE_OF_THE_CHART = { 'api.tokenFile': 'api.existingSecret', 'audit.tokenFile': 'audit.existingSecret' } as const
type TokenSetting = keyof typeof VALUE_OF_THE_CHART

export type GuardOptions = {
  readonly peerOf: (c: Context) => string | null
  readonly token: BearerToken | null
  /** The setting that names the file of the token. */
  readonly setting: TokenSetting
  /** Whether this machine may ask without a token. */
  readonly opensToThisMachine: boolean
  readonly clock: Pick<Clock, 'now'>
  readonly refused?: (why: Refusal) => void
}

type Judgement = { readonly why: Refusal; readonly problem: Problem }

/** Lets in who knows the token, and, where it is said so, who asks on this machine. */
export function guard(options: GuardOptions): MiddlewareHandler {
  const failures = countFailures()
  return async (c, next) => {
    const refused = await judge(c, options, failures)
    if (refused === null) return next()
    options.refused?.(refused.why)
    return tellProblem(c, refused.problem)
  }
}

async function judge(c: Context, options: GuardOptions, failures: Failures): Promise<Judgement | null> {
  const shown = bearerIn(c.req.header('authorization'))
  if (shown !== null && options.token !== null) return judgeToken(shown, options.token, { c, options, failures })
  const foreign = options.opensToThisMachine ? whyNotLocal(callerOf(c, options.peerOf)) : 'a token is needed'
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
  const peer = options.peerOf(c) ?? ''
  const judged = await token.judge(shown)
  // Behind one proxy there are many: whoever guesses there must not lock the others out.
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
      advice: [`show ${theToken(options)}`],
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
      detail: 'too many wrong tokens came from this address',
      advice: [`try again in ${seconds} s`],
      headers: { 'retry-after': String(seconds) },
    },
  }
}

function theToken({ setting }: GuardOptions): string {
  const value = VALUE_OF_THE_CHART[setting]
  return `the one in the file that ${setting} of the server names (with the chart: in the Secret that ${value} names)`
}

function unusable({ setting }: GuardOptions): Judgement {
  return {
    why: 'unusable-token',
    problem: {
      status: 503,
      detail: `the server cannot use the file that ${setting} names, so it lets nobody in`,
      advice: [`its log says why; with the chart it is the Secret that ${VALUE_OF_THE_CHART[setting]} names`],
    },
  }
}

function unnamed(why: string, options: GuardOptions): Judgement {
  const here = options.opensToThisMachine ? ['or ask on the machine where signalbox serve runs, through 127.0.0.1'] : []
  return {
    why: 'no-token',
    problem: {
      status: 401,
      detail: `${why}, and it shows no token`,
      advice: [`send Authorization: Bearer TOKEN, ${theToken(options)}`, ...here],
      headers: { 'www-authenticate': 'Bearer' },
    },
  }
}

function closed(why: string, { setting, opensToThisMachine }: GuardOptions): Judgement {
  const value = VALUE_OF_THE_CHART[setting]
  const configure = `configure ${setting} (a file with a token of 24 characters or more) and restart it; with the chart: ${value}`
  const here = ['ask on the machine where signalbox serve runs, through 127.0.0.1', `or ${configure}`]
  return {
    why: 'beyond-this-machine',
    problem: {
      status: 403,
      detail: `${why}, and the server has no token that would let it in`,
      advice: opensToThisMachine ? here : [configure],
    },
  }
}
