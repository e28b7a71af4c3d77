import type { MiddlewareHandler } from 'hono'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'
import type { Breakers } from '#/ports/store/breakers.ts'
import { storedBreakers } from '#/runtime/dispatch/breakers.ts'
import type { StoredBreakers } from '#/runtime/dispatch/breakers.ts'
import type { Guards } from '#/server/access/auth.ts'
import { breakersApi } from '#/server/recovery/breakers.ts'

export type BreakersPart = Part & { readonly breakers: StoredBreakers }

type Means = PartMeans & {
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
    dispose: nothingToDispose,
  }
}
