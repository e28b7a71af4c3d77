import { systemClock } from '#/adapters/clock.ts'
import { createGitHub } from '#/adapters/github/github.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { openDispatchEndpoint } from '#/app/dispatch/endpoint.ts'
import type { DispatchEndpointPart } from '#/app/dispatch/endpoint.ts'
import { Secret } from '#/core/basics/secret.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { startLoops } from '#/runtime/lead/loop.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { listen } from '#/server/listen.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { declared, TEMPLATE } from './own-pods.ts'
import type { PutPods } from './own-pods.ts'
import { PutBreakers } from './put-breakers.ts'

export type DispatchServerPlan = {
  readonly connectionString: string
  readonly kubernetes: Pick<Kubernetes, 'reviewToken' | 'patch'>
  readonly github: { readonly runners: Pick<GitHub['runners'], 'mint' | 'groups'> }
  readonly ownPods: PutPods
  readonly pool: RunnerPool
}

export type DispatchServer = {
  readonly url: string
  readonly part: DispatchEndpointPart
  readonly exposed: () => string
  readonly stop: () => Promise<void>
}

/** A replica with the dispatch part alone: real HTTP, real PostgreSQL. */
export async function startDispatchServer(plan: DispatchServerPlan): Promise<DispatchServer> {
  const { connectionString, pool } = plan
  const { store, close } = openPostgresStore(connectionString)
  const metrics = createMetrics()
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const means = { clock: systemClock, log, metrics }
  const part = openDispatchEndpoint({
    ...means,
    ...plan,
    dispatch: { url: 'https://signalbox.example', pools: null, startsPerNode: 4, mintWithinMs: 60_000 },
    store,
    pools: declared(pool),
    breakers: new PutBreakers(),
    templateOf: () => TEMPLATE,
  })
  const app = createApp({ version: '0', metrics, log, readiness: [], routes: part.routes ?? [] })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  if (listening.kind === 'refused') throw new Error(listening.why)
  const loops = startLoops(part.replicaLoops ?? [], means, new AbortController().signal)
  let stopped: Promise<void> | null = null
  const end = async (): Promise<void> => {
    await loops.stop()
    await listening.close()
    await close()
  }
  const stop = (): Promise<void> => (stopped ??= end())
  return { url: listening.url, part, exposed: metrics.expose, stop }
}

/** GitHub by a personal token. */
export function connectGitHub(url: string, token: string): GitHub & AsyncDisposable {
  const dispatchers = makeDispatchers({ wayTo: () => null, tls: {}, connections: null })
  const github = createGitHub({
    credential: { kind: 'token', token: new Secret('github-token', token) },
    baseUrl: url,
    http: { dispatchers, clock: systemClock },
    clock: systemClock,
    userAgent: 'signalbox-test',
  })
  return { ...github, [Symbol.asyncDispose]: () => dispatchers.close() }
}

/** As the poller asks: for its own pod. */
export async function askAt(url: string, uid: string, wait = 25, signal?: AbortSignal): Promise<Asked> {
  const headers = { authorization: `Bearer ${uid}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/dispatch?wait=${wait}`, {
    method: 'POST',
    headers,
    body: '{}',
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await answer.text()
  const body = (text === '' ? {} : JSON.parse(text)) as Asked['body']
  return { status: answer.status, headers: answer.headers, body }
}

export type Asked = {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly slot?: string
    readonly runner?: { readonly id: number; readonly name: string }
    readonly jit?: string
    readonly reason?: string
  }
}
