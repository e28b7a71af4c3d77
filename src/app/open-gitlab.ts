import { createGitLab } from '#/adapters/gitlab/gitlab.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { proxyFor } from '#/adapters/http/proxy-for.ts'
import type { Config } from '#/config/config.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitLab } from '#/ports/gitlab.ts'
import type { Network } from './network.ts'

/** GitLab as the configuration names it; null without a token. Asks nothing yet. */
export function openGitLab(
  { gitlab: { baseUrl, token } }: Config,
  { proxies, authorities }: Network,
  clock: Clock,
): (GitLab & AsyncDisposable) | null {
  if (token === null) return null
  const dispatchers = makeDispatchers({
    wayTo: (target) => proxyFor(target, proxies),
    tls: { ca: authorities },
    proxyCa: authorities,
    connections: null,
  })
  const api = createGitLab({ baseUrl, token, http: { dispatchers, clock } })
  return { ...api, [Symbol.asyncDispose]: () => dispatchers.close() }
}
