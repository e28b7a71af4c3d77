import type { Credential } from '#/adapters/github/http/tokens.ts'
import { createGitHub } from '#/adapters/github/github.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { proxyFor } from '#/adapters/http/proxy-for.ts'
import type { Network } from './network.ts'
import { ownPackage } from '#/adapters/files/own-package.ts'
import type { Config, GitHubCredential } from '#/config/config.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'

export type GitHubConnection = GitHub & AsyncDisposable

/** GitHub as the configuration names it; null without a credential. Asks nothing yet. */
export function openGitHub(
  { github }: Config,
  { proxies, authorities }: Network,
  clock: Clock,
): GitHubConnection | null {
  const credential = toCredential(github.credential)
  if (credential === null) return null
  const dispatchers = makeDispatchers({
    wayTo: (target) => proxyFor(target, proxies),
    tls: { ca: authorities },
    proxyCa: authorities,
    connections: null,
  })
  const userAgent = `signalbox/${ownPackage().version}`
  const connected = createGitHub({
    credential,
    baseUrl: github.baseUrl,
    http: { dispatchers, clock },
    clock,
    userAgent,
  })
  return { ...connected, [Symbol.asyncDispose]: () => dispatchers.close() }
}

function toCredential(credential: GitHubCredential): Credential | null {
  switch (credential.kind) {
    case 'none':
      return null
    case 'token':
      return credential
    case 'app': {
      const { id, privateKey, installationId } = credential
      return { kind: 'app', appId: String(id), privateKey, ...(installationId === null ? {} : { installationId }) }
    }
  }
}
