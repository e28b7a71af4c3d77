import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { systemClock } from '#/adapters/clock.ts'
import type { ClientOptions } from '#/adapters/github/http/client.ts'
import { createGitHub } from '#/adapters/github/github.ts'
import { Secret } from '#/core/basics/secret.ts'
import type { Credential } from '#/adapters/github/http/tokens.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import { newAppKeys } from '#/sim/github/access/app-keys.ts'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import type { SimGitHub, SimGitHubOptions } from '#/sim/github/sim-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import { checkedAgainstOpenApi } from '#test/github/checked-against-openapi.ts'

/** A sleep moves this clock: waiting costs no time, and every wait is recorded. */
export type SkippingClock = Clock & { readonly slept: () => readonly number[]; readonly advance: (ms: number) => void }

export function createSkippingClock(startMs = Date.UTC(2026, 10, 15, 12)): SkippingClock {
  let now = startMs
  const slept: number[] = []
  return {
    now: () => now,
    sleep: async (ms, signal) => {
      if (signal?.aborted === true) return
      slept.push(ms)
      now += ms
    },
    slept: () => slept,
    advance: (ms) => {
      now += ms
    },
  }
}

/** Making a key pair takes longer than most tests. */
const KEYS = newAppKeys()

export type GitHubWorld = AsyncDisposable & {
  readonly sim: SimGitHub
  readonly clock: SkippingClock
  readonly github: GitHub
  readonly url: string
  /** Every request that arrived, as `GET /path?query`. */
  readonly requests: string[]
  /** Another adapter on the same GitHub. */
  readonly connect: (options: Partial<ClientOptions>) => GitHub
}

/**
 * A simulated GitHub with one organisation `acme`, one repository `acme/api`, the App installed, over real HTTP. Its
 * regular answers are checked against GitHub's description; one that does not match fails the test when it is closed.
 */
export async function startGitHubWorld(
  options: {
    readonly sim?: Partial<SimGitHubOptions>
    readonly adapter?: Partial<ClientOptions>
    readonly around?: (next: FetchHandler) => FetchHandler
  } = {},
): Promise<GitHubWorld> {
  const clock = createSkippingClock()
  const { basePath = '' } = options.sim ?? {}
  const inspect: SimGitHubOptions['inspect'] = (honest) => checkedAgainstOpenApi(honest, basePath)
  const sim = createSimGitHub({ clock, keys: KEYS, inspect, ...options.sim })
  sim.world.addOrganization('acme')
  sim.world.addRepository('acme/api')
  sim.install('acme')
  const requests: string[] = []
  const handler = options.around?.(sim.fetch) ?? sim.fetch
  const server = await serveGitHub((request) => {
    const { pathname, search } = new URL(request.url)
    requests.push(`${request.method} ${pathname}${search}`)
    return handler(request)
  })
  const dispatchers = makeDispatchers({ wayTo: () => null, tls: {}, connections: null })
  const connect = (changes: Partial<ClientOptions>): GitHub =>
    createGitHub({
      credential: appCredential(sim),
      baseUrl: `${server.url}${basePath}`,
      http: { dispatchers, clock: systemClock },
      clock,
      random: () => 0,
      ...changes,
    })
  const dispose = async (): Promise<void> => {
    await dispatchers.close()
    await server.stop()
  }
  return {
    sim,
    clock,
    github: connect(options.adapter ?? {}),
    url: server.url,
    requests,
    connect,
    [Symbol.asyncDispose]: dispose,
  }
}

export function appCredential(sim: SimGitHub): Credential {
  return { kind: 'app', appId: String(sim.app.id), privateKey: new Secret('private-key', sim.keys.privateKeyPem) }
}

export function tokenCredential(token: string): Credential {
  return { kind: 'token', token: new Secret('token', token) }
}
