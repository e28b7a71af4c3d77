import type { Context } from 'hono'
import type { Role } from '#/core/access/role.ts'

/** Who asks, as the guard has established it. Routes read it from here and nowhere else. */
export type Caller = {
  /** For logs and records: `token/NAME`, `socket/USER` or `this-machine`. */
  readonly actor: string
  readonly role: Role
  /** The address of the connection; null on the Unix socket. */
  readonly peer: string | null
}

/** The actor of callers that need no token. */
export const THIS_MACHINE = 'this-machine'

const KEY = 'caller'

export function setCaller(c: Context, caller: Caller): void {
  c.set(KEY, caller)
}

/** Throws on a route without a guard. */
export function callerOf(c: Context): Caller {
  const caller = c.get(KEY) as Caller | undefined
  if (caller === undefined) throw new Error(`${c.req.path} has no guard: declare its role`)
  return caller
}

/** Who has a share of the server: a token, the owner of the Unix socket, or an address from which no token is needed. */
export function callerKey(c: Context): string {
  const { actor, peer } = callerOf(c)
  return actor === THIS_MACHINE ? `peer/${peer}` : actor
}
