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
