import type { MiddlewareHandler } from 'hono'
import type { LoopMeans } from '#/runtime/lead/loop.ts'
import type { Route } from '#/server/app.ts'
import type { Breakers } from '#/ports/store/breakers.ts'
import { storedBreakers } from '#/runtime/dispatch/breakers.ts'
import type { StoredBreakers } from '#/runtime/dispatch/breakers.ts'
import type { Guards } from '#/server/access/auth.ts'
import { breakersApi } from '#/server/recovery/breakers.ts'

export type BreakersPart = {
  readonly breakers: StoredBreakers
  readonly routes: readonly Route[]
  readonly dispose: () => Promise<void>
}

type Means = LoopMeans & {
  readonly store: { readonly breakers: Breakers }
  readonly guards: Guards
  readonly admit: MiddlewareHandler
}

/** The breakers of dispatch, and `/v1/breakers`. */
export function openBreakers({ store, guards, admit, ...means }: Means): BreakersPart {
  const breakers = storedBreakers({ ...means, breakers: store.breakers })
  return {
    breakers,
    routes: [{ path: '/v1/breakers', handler: breakersApi({ ...means, guards, breakers, admit }) }],
    dispose: async () => {},
  }
}
