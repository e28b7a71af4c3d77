import { systemClock } from '#/adapters/clock.ts'
import { createGitHub } from '#/adapters/github/github.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { Credentials } from '#/adapters/kubernetes/credentials.ts'
import { Secret } from '#/core/basics/secret.ts'
import type { GitHub } from '#/ports/github.ts'
import { connectWith } from '#test/contracts/kubernetes-means.ts'

/** The real adapters, connected to a replay as `serve --replay` does. */
export function connectReplay(url: string, watchSeconds = 120): KubernetesConnection {
  const ready: Credentials = {
    kind: 'ready',
    server: new URL(url),
    headers: {},
    tls: {},
    proxyUrl: null,
    namespace: null,
  }
  return connectWith({ current: async () => ready, renew: async () => ready }, { watchSeconds })
}

export function connectGitHub(baseUrl: string): GitHub & AsyncDisposable {
  const dispatchers = makeDispatchers({ wayTo: () => null, tls: {}, proxyCa: undefined, connections: null })
  const github = createGitHub({
    credential: { kind: 'token', token: new Secret('github-token', 'replay') },
    baseUrl,
    http: { dispatchers, clock: systemClock },
    clock: systemClock,
  })
  return { ...github, [Symbol.asyncDispose]: () => dispatchers.close() }
}
