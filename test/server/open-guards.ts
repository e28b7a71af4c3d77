import type { MiddlewareHandler } from 'hono'
import type { Guards } from '#/server/access/auth.ts'
import { setCaller } from '#/server/access/caller.ts'

/** Admits everybody as an operator, for suites that are not about access. */
export const openGuards: Guards = {
  read: async (c, next) => {
    setCaller(c, { actor: 'test', role: 'operate', peer: null })
    await next()
  },
  operate: async (c, next) => {
    setCaller(c, { actor: 'test', role: 'operate', peer: null })
    await next()
  },
}

/** For tests that are not about load. */
export const admitAll: MiddlewareHandler = (_, next) => next()
