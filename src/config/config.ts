import type { LoopId } from '#/core/recovery/recovery.ts'
import { delimiter, join } from 'node:path'
import type { ListenAddress } from '#/config/listen-address.ts'
import { toNotify } from '#/config/notify-config.ts'
import type { NotifyConfig } from '#/config/notify-config.ts'
import { toTls } from '#/config/tls-config.ts'
import type { TlsConfig } from '#/config/tls-config.ts'
import type { Settings } from '#/config/schema.ts'
import { Secret } from '#/core/basics/secret.ts'
import type { RetentionPolicy } from '#/ports/store/retention.ts'

/** The checked configuration, with units in the names and secrets that do not print. */
export type Config = {
  /** Absolute. */
  readonly data: string
  /** Null: the embedded one. */
  readonly databaseUrl: Secret | null
  readonly postgres: { readonly binaries: 'bundled' | 'system' | `/${string}` }
  readonly listen: ListenAddress
  readonly api: {
    readonly server: string | null
    readonly tokenFile: string | null
    readonly tokensFile: string | null
    /** Null: none, as in a replay. */
    readonly socket: SocketPlace | null
    readonly openToThisMachine: boolean
  }
  readonly client: { readonly token: Secret | null }
  readonly audit: { readonly tokenFile: string | null }
  readonly kubernetes: {
    readonly source: KubernetesSource
    readonly namespaces: Namespaces
    readonly podSelector: string
    readonly startWithinMs: number
    readonly followedLogs: number
  }
  readonly github: {
    readonly baseUrl: string
    readonly owners: readonly string[]
    readonly credential: GitHubCredential
    readonly webhookSecret: Secret | null
  }
  /** Null: none. */
  readonly loki: LokiConfig | null
  readonly gitlab: { readonly baseUrl: string; readonly group: string | null; readonly token: Secret | null }
  readonly proxy: {
    readonly https: Secret | null
    readonly http: Secret | null
    readonly exceptions: readonly string[]
  }
  readonly caFile: string | null
  /** Null: plain HTTP. */
  readonly tls: TlsConfig | null
  readonly agent: { readonly serviceAccount: string | null; readonly tokenFile: string | null }
  readonly guard: { readonly stamp: boolean }
  /** Null: Signalbox runs no pools of its own. */
  readonly dispatch: DispatchConfig | null
  /** The recovery loops that are switched off. */
  readonly recovery: { readonly disabled: readonly LoopId[] }
  readonly notify: NotifyConfig
  readonly retention: RetentionPolicy
  readonly log: Settings['log']
}

export type DispatchConfig = {
  /** Where runner pods reach this server, without a slash at the end. */
  readonly url: string
  /** Null: RunnerPool objects of the cluster. */
  readonly pools: string | null
  readonly startsPerNode: number
  readonly mintWithinMs: number
}

function toDispatch({ enabled, url, pools, startsPerNode, mintWithin }: Settings['dispatch']): DispatchConfig | null {
  if (!enabled || url === undefined) return null
  return { url: url.replace(/\/+$/, ''), pools: pools ?? null, startsPerNode, mintWithinMs: mintWithin }
}

export type LokiConfig = {
  readonly url: string
  readonly tenant: string | null
  readonly user: string | null
  readonly token: Secret | null
  readonly selectors: { readonly journal: string; readonly pod: string }
}

function toLoki({ url, tenant, user, token, journal, pods }: Settings['loki']): LokiConfig | null {
  if (url === undefined) return null
  const selectors = { journal, pod: pods }
  return { url, tenant: tenant ?? null, user: user ?? null, token: secret('loki-token', token), selectors }
}

/** `isDefault`: nobody chose it, so that `serve` also runs where it cannot be used. */
export type SocketPlace = { readonly path: string; readonly isDefault: boolean }

/** How the cluster is found, by kubectl's rules. */
export type KubernetesSource =
  | { readonly kind: 'files'; readonly paths: readonly string[]; readonly context?: string }
  | { readonly kind: 'in-cluster' }
  | { readonly kind: 'nowhere' }

/** What the machine provides when nothing is configured. */
export type Surroundings = {
  /** `~/.kube/config`, where it exists. */
  readonly homeKubeconfig: string | null
  readonly insideCluster: boolean
}

export type Namespaces =
  | { readonly kind: 'context' }
  | { readonly kind: 'all' }
  | { readonly kind: 'named'; readonly names: readonly string[] }

export type GitHubCredential =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'app'; readonly id: number; readonly privateKey: Secret; readonly installationId: number | null }

export function toConfig(settings: Settings, surroundings: Surroundings): Config {
  const { kubernetes, github, proxy, retention } = settings
  return {
    data: settings.data,
    databaseUrl: secret('database-url', settings.databaseUrl),
    postgres: settings.postgres,
    listen: settings.listen,
    api: toApi(settings),
    client: { token: secret('token', settings.client.token) },
    audit: { tokenFile: settings.audit.tokenFile ?? null },
    kubernetes: {
      source: kubernetesSource(kubernetes, surroundings),
      namespaces: namespaces(kubernetes.namespaces),
      podSelector: kubernetes.podSelector,
      startWithinMs: kubernetes.startWithin,
      followedLogs: kubernetes.followedLogs,
    },
    github: {
      baseUrl: github.baseUrl.replace(/\/+$/, ''),
      owners: github.owners,
      credential: credential(github),
      webhookSecret: secret('webhook-secret', github.webhookSecret),
    },
    loki: toLoki(settings.loki),
    gitlab: {
      baseUrl: settings.gitlab.baseUrl.replace(/\/+$/, ''),
      group: settings.gitlab.group ?? null,
      token: secret('gitlab-token', settings.gitlab.token),
    },
    proxy: { https: secret('proxy', proxy.https), http: secret('proxy', proxy.http), exceptions: proxy.exceptions },
    caFile: settings.caFile ?? null,
    tls: toTls(settings),
    agent: {
      serviceAccount: settings.agent.serviceAccount ?? null,
      tokenFile: settings.agent.tokenFile ?? null,
    },
    guard: settings.guard,
    dispatch: toDispatch(settings.dispatch),
    recovery: settings.recovery,
    notify: toNotify(settings.notify),
    retention: {
      deliveriesMs: retention.deliveries,
      finishedJobsMs: retention.finishedJobs,
      deathsMs: retention.postmortems,
      ledgerMs: retention.ledger,
      evidenceBytes: retention.evidence,
    },
    log: settings.log,
  }
}

function toApi({ api, data }: Settings): Config['api'] {
  const { server = null, tokenFile = null, tokensFile = null, openToThisMachine } = api
  const socket = { path: api.socket ?? join(data, 'api.sock'), isDefault: api.socket === undefined }
  return { server, tokenFile, tokensFile, socket, openToThisMachine }
}

function secret(kind: string, value: string | undefined): Secret | null {
  return value === undefined ? null : new Secret(kind, value)
}

function kubernetesSource(
  { kubeconfig, context }: Settings['kubernetes'],
  { homeKubeconfig, insideCluster }: Surroundings,
): KubernetesSource {
  const paths = kubeconfig?.split(delimiter) ?? (homeKubeconfig === null ? [] : [homeKubeconfig])
  if (paths.length > 0) return { kind: 'files', paths, ...(context === undefined ? {} : { context }) }
  return insideCluster ? { kind: 'in-cluster' } : { kind: 'nowhere' }
}

function namespaces(names: readonly string[] | undefined): Namespaces {
  if (names === undefined) return { kind: 'context' }
  return names.includes('*') ? { kind: 'all' } : { kind: 'named', names: [...new Set(names)] }
}

function credential({ token, app }: Settings['github']): GitHubCredential {
  if (token !== undefined) return { kind: 'token', token: new Secret('github-token', token) }
  if (app.id === undefined || app.privateKey === undefined) return { kind: 'none' }
  return {
    kind: 'app',
    id: app.id,
    privateKey: new Secret('private-key', app.privateKey),
    installationId: app.installationId ?? null,
  }
}
