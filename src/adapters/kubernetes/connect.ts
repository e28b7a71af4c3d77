import type { TlsOptions } from '#/adapters/http/dispatchers.ts'
import type { Proxies } from '#/adapters/http/proxy-for.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { seen } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { CredentialSource } from './credentials.ts'
import { followLog } from './follow-log.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { logTail } from './log-tail.ts'
import { raw } from './raw.ts'
import { canI, reviewToken } from './review.ts'
import { makeTransport } from './transport.ts'
import type { Transport } from './transport.ts'
import type { Tuning } from './tuning.ts'
import { DEFAULT_TUNING } from './tuning.ts'
import { watch } from './watch.ts'
import { create, evict, patch, remove } from './write.ts'

export type ConnectOptions = {
  /** `kubeconfigCredentials`. */
  readonly credentials: CredentialSource
  readonly clock: Clock
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
  readonly userAgent: string
  readonly proxies?: Proxies
  /** PEM, beside what the kubeconfig says. */
  readonly ownAuthorities?: TlsOptions['ca']
  readonly tuning?: Partial<Tuning>
}

export type KubernetesConnection = Kubernetes &
  AsyncDisposable & {
    /** Where the credentials lead, without asking the server. */
    readonly access: (signal: AbortSignal) => Promise<Observed<ClusterAccess>>
    /** For src/adapters/pod-processes alone: what a WebSocket may begin is no read. */
    readonly upgrade: Transport['upgrade']
  }

export type ClusterAccess = { readonly server: string; readonly namespace: string | null }

/** Connects nothing yet: the first request does. Closing lets what is under way end. */
export function connectKubernetes(options: ConnectOptions): KubernetesConnection {
  const { clock, random, credentials, userAgent, ownAuthorities } = options
  const tuning = { ...DEFAULT_TUNING, ...options.tuning }
  const proxies = options.proxies ?? {}
  const transport = makeTransport({ credentials, clock, tuning, proxies, userAgent, ownAuthorities })
  const means = { transport, clock, tuning, random }
  return {
    list: (request, signal) => list(means, request, signal),
    get: (request, signal) => get(transport, request, signal),
    watch: (request, signal) => watch(means, request, signal),
    create: (request, signal) => create(transport, request, signal),
    patch: (request, signal) => patch(transport, request, signal),
    delete: (request, signal) => remove(transport, request, signal),
    evict: (request, signal) => evict(transport, request, signal),
    logTail: (request, signal) => logTail(means, request, signal),
    followLog: (request, signal) => followLog(means, request, signal),
    raw: (path, signal) => raw(transport, path, signal),
    reviewToken: (request, signal) => reviewToken(transport, request, signal),
    canI: (request, signal) => canI(transport, request, signal),
    access: async (signal) => {
      const current = await credentials.current(signal)
      if (current.kind === 'blind') return current
      return seen({ server: current.server.origin + current.server.pathname, namespace: current.namespace })
    },
    upgrade: transport.upgrade,
    [Symbol.asyncDispose]: () => transport.close(),
  }
}
