import type { Context, MiddlewareHandler } from 'hono'
import { allows } from '#/core/access/role.ts'
import type { Role } from '#/core/access/role.ts'
import type { KnownToken } from '#/core/access/token.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { setCaller, THIS_MACHINE } from './caller.ts'
import type { Caller } from './caller.ts'
import type { FoundToken, TokenBook } from './token-book.ts'
import { countFailures } from './auth-failures.ts'
import type { Failures } from './auth-failures.ts'
import { ended, noToken, notAllowed, tooMany, unusable, wrong } from './auth-problems.ts'
import type { Refused, Refusal } from './auth-problems.ts'
import { cameByUnixSocket, readArrival, whyNotLocal } from './local-only.ts'
import { sendProblem } from '#/server/request/problem.ts'

export type GuardOptions = {
  readonly tokens: Pick<TokenBook, 'find'>
  /** The setting `api.openToThisMachine`: callers on this machine need no token. */
  readonly isOpenHere: boolean
  /** The user to whom the Unix socket belongs. */
  readonly socketUser: string
  readonly peerAddress: (c: Context) => string | null
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'debug' | 'info' | 'error'>
  readonly refused?: (why: Refusal) => void
}

/** Every route declares its role by one of these. */
export type Guards = Readonly<Record<Role, MiddlewareHandler>>

/** Admits callers with a token of that role, callers on the Unix socket, and where it is configured this machine. */
export function createGuards(options: GuardOptions): Guards {
  const failures = countFailures()
  const guard =
    (needed: Role): MiddlewareHandler =>
    async (c, next) => {
      const judged = await identify(c, options, failures)
      const refused = 'problem' in judged ? judged : allows(judged.role, needed) ? null : notAllowed(judged, needed)
      if (refused !== null) {
        options.refused?.(refused.why)
        const known = 'actor' in judged ? { actor: judged.actor } : {}
        options.log.debug('request refused', { ...known, ...line(c, options), why: refused.why })
        return sendProblem(c, refused.problem)
      }
      const caller = judged as Caller
      setCaller(c, caller)
      const passed = await next()
      const isChange = !['GET', 'HEAD'].includes(c.req.method)
      const fields = { actor: caller.actor, role: caller.role, ...line(c, options), status: c.res.status }
      options.log[isChange ? 'info' : 'debug'](isChange ? 'request to change' : 'request to read', fields)
      return passed
    }
  return { read: guard('read'), operate: guard('operate') }
}

const LONGEST_PATH = 300

/** Without the query and without headers. */
function line(c: Context, { peerAddress }: GuardOptions) {
  const peer = cameByUnixSocket(c) ? 'unix socket' : (peerAddress(c) ?? 'unknown')
  return { method: c.req.method, path: c.req.path.slice(0, LONGEST_PATH), peer }
}

async function identify(c: Context, options: GuardOptions, failures: Failures): Promise<Caller | Refused> {
  const { isOpenHere, socketUser, peerAddress } = options
  const header = c.req.header('authorization')
  const shown = bearerIn(header)
  if (shown !== null) return judgeToken(shown, { peer: peerAddress(c), options, failures })
  if (cameByUnixSocket(c)) return { actor: `socket/${socketUser}`, role: 'operate', peer: null }
  if (!isOpenHere) return noToken(null)
  const foreign = whyNotLocal(readArrival(c, peerAddress))
  return foreign === null ? { actor: THIS_MACHINE, role: 'operate', peer: peerAddress(c) } : noToken(foreign)
}

export function bearerIn(header: string | undefined): string | null {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1] ?? null
}

type Judging = { readonly peer: string | null; readonly options: GuardOptions; readonly failures: Failures }

/** A token that is shown is judged wherever it comes from: a role must not depend on the way. */
async function judgeToken(shown: string, judging: Judging): Promise<Caller | Refused> {
  const { options, peer } = judging
  const found = await options.tokens.find(shown)
  switch (found.kind) {
    case 'found':
      return judgeFound(found, judging)
    case 'unusable':
      options.log.error('cannot check API tokens', { setting: found.setting, why: found.fault })
      return unusable(found.setting)
    case 'unknown':
      return judgeWrong(judging, peer ?? '')
  }
}

function judgeFound(
  { token, state }: Extract<FoundToken, { kind: 'found' }>,
  { peer, options }: Judging,
): Caller | Refused {
  if (state === 'valid') return { actor: actorOf(token), role: token.role, peer }
  options.log.info('a token that ended was shown', { actor: actorOf(token), state, peer: peer ?? 'unknown' })
  return ended(token, state)
}

function actorOf({ name }: KnownToken): string {
  return `token/${name}`
}

/** Many callers can share one proxy address: wrong guesses lock out only wrong guesses. */
function judgeWrong({ options, failures }: Judging, peer: string): Refused {
  const now = options.clock.now()
  const waitMs = failures.waitMs(peer, now)
  if (waitMs > 0) return tooMany(waitMs)
  failures.add(peer, now)
  return wrong()
}
