import type { KnownToken } from '#/core/access/token.ts'
import type { Role } from '#/core/access/role.ts'
import type { Caller } from './caller.ts'
import type { Problem } from '#/server/request/problem.ts'

export type Refusal =
  | 'no-token'
  | 'wrong-token'
  | 'expired-token'
  | 'revoked-token'
  | 'role'
  | 'unusable-token'
  | 'too-many-wrong-tokens'
  | 'closed'

export type Refused = { readonly why: Refusal; readonly problem: Problem }

const CREATE = 'create a token where signalbox serve runs: signalbox token create NAME --role read'
const IN_THE_CLUSTER =
  'with the chart: kubectl -n NAMESPACE exec deploy/signalbox -- signalbox token create NAME --role read'
const SEND = 'send it: Authorization: Bearer TOKEN; commands take --token-file FILE or SIGNALBOX_TOKEN'
const ON_THE_MACHINE =
  'or run the command where signalbox serve runs, as the same user: it then uses the Unix socket and needs no token'

/** `foreign`: why a caller does not count as this machine, where that would be enough. */
export function noToken(foreign: string | null): Refused {
  return {
    why: 'no-token',
    problem: {
      status: 401,
      detail: foreign === null ? 'a token is required' : `a token is required: ${foreign}`,
      advice: [CREATE, IN_THE_CLUSTER, SEND, ON_THE_MACHINE],
      headers: { 'www-authenticate': 'Bearer realm="signalbox"' },
    },
  }
}

export function wrong(): Refused {
  return {
    why: 'wrong-token',
    problem: {
      status: 401,
      detail: 'the token is wrong',
      advice: ['list the valid ones where signalbox serve runs: signalbox token list', CREATE, IN_THE_CLUSTER],
      headers: { 'www-authenticate': 'Bearer realm="signalbox", error="invalid_token"' },
    },
  }
}

/** Only the holder of the token can get this answer: it was found by the whole token. */
export function ended({ name, expiresAt }: KnownToken, state: 'expired' | 'revoked'): Refused {
  const when = state === 'expired' && expiresAt !== null ? ` on ${new Date(expiresAt).toISOString()}` : ''
  return {
    why: `${state}-token`,
    problem: {
      status: 401,
      detail: `the token ${name} ${state === 'expired' ? 'expired' : 'was revoked'}${when}`,
      advice: [CREATE, IN_THE_CLUSTER],
      headers: {
        'www-authenticate': `Bearer realm="signalbox", error="invalid_token", error_description="${state}"`,
      },
    },
  }
}

export function notAllowed({ actor, role }: Caller, needed: Role): Refused {
  return {
    why: 'role',
    problem: {
      status: 403,
      detail: `${actor} has the role ${role}, and this needs ${needed}`,
      advice: [`create a token with that role: signalbox token create NAME --role ${needed}`],
      headers: { 'www-authenticate': `Bearer realm="signalbox", error="insufficient_scope", scope="${needed}"` },
    },
  }
}

export function tooMany(waitMs: number): Refused {
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

export function unusable(setting: string): Refused {
  return {
    why: 'unusable-token',
    problem: {
      status: 503,
      detail: `the server cannot use the file of ${setting}, and the token is not known elsewhere`,
      advice: ["see the server's log; with the chart, check the Secret that the values name"],
    },
  }
}
