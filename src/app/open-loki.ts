import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { proxyFor } from '#/adapters/http/proxy-for.ts'
import { createLokiStore } from '#/adapters/loki/loki.ts'
import type { Config } from '#/config/config.ts'
import type { Clock } from '#/ports/clock.ts'
import type { LogStore } from '#/ports/log-store.ts'
import type { Network } from './network.ts'

/** The Loki that the configuration names; null without one. Asks nothing yet. */
export function openLoki(
  { loki }: Config,
  { proxies, authorities }: Network,
  clock: Clock,
): (LogStore & AsyncDisposable) | null {
  if (loki === null) return null
  const dispatchers = makeDispatchers({
    wayTo: (target) => proxyFor(target, proxies),
    tls: { ca: authorities },
    proxyCa: authorities,
    connections: 4,
  })
  const store = createLokiStore({ ...loki, http: { dispatchers, clock }, clock })
  return { ...store, [Symbol.asyncDispose]: () => dispatchers.close() }
}
