import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPackage } from '#/adapters/files/own-package.ts'
import type { Config } from '#/config/config.ts'
import { Secret } from '#/core/basics/secret.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { LivePods } from '#/ports/store/live-pods.ts'
import { STARTS_WITHIN_MS } from '#/sim/replay/play.ts'
import type { Recording } from '#/sim/replay/recording.ts'
import { openReplay } from '#/sim/replay/replay.ts'
import type { Replay } from '#/sim/replay/replay.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part } from '#/app/part/part.ts'
import { readRecordings } from './replay-recordings.ts'

/** What `serve --replay` uses instead of a cluster. */
export type ReplaySetup = AsyncDisposable & {
  /** The given one, pointed at the replay: it reaches no real cluster, GitHub or database. */
  readonly config: Config
  readonly audit: AuditLog
  readonly agents: NodeAgents
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly facts: ReplayFacts
}

/** For the person who looks on. */
export type ReplayFacts = {
  readonly recordings: number
  readonly living: number
  /** What is configured for real, and not used. */
  readonly ignored: readonly string[]
}

export type ReplayWish = { readonly seed: number; readonly paceMs: number }

const HEALTHY = 24
/** The best known death is played first. */
const OPENING = 'oom-container'
const SELECTOR = 'actions.github.com/scale-set-name'
const PAGE = 500
const AFTER_FAULT_MS = 1000

export async function openReplaySetup(
  { seed, paceMs }: ReplayWish,
  { given, clock }: { readonly given: Config; readonly clock: Clock },
  signal: AbortSignal,
): Promise<ReplaySetup> {
  const recordings = await ownRecordings(signal)
  const replay = await openReplay({ recordings, opening: OPENING, clock, seed, paceMs, healthy: HEALTHY })
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-replay-'))
  return {
    config: await toReplayConfig(given, replay, folder),
    audit: replay.audit,
    agents: replay.agents,
    run: replay.run,
    facts: { recordings: recordings.length, living: HEALTHY, ignored: listIgnored(given) },
    [Symbol.asyncDispose]: async () => {
      await replay[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Runs the replay. Live pods of an earlier replay are deleted: its cluster no longer exists. */
export async function openReplayPart({ run }: Pick<ReplaySetup, 'run'>, livePods: LivePods): Promise<Part> {
  await forgetAll(livePods)
  return { replicaLoops: [{ name: 'replay', everyMs: AFTER_FAULT_MS, run }], dispose: nothingToDispose }
}

async function ownRecordings(signal: AbortSignal): Promise<readonly Recording[]> {
  const recordings = await readRecordings(join(ownPackage().folder, 'recordings'), signal)
  if (recordings.length > 0) return recordings
  throw new AppFailure('failed', 'this package has no recordings', ['install it again'])
}

/** The configured things that a replay does not use. */
function listIgnored({ kubernetes, github, databaseUrl, notify }: Config): readonly string[] {
  const hasChannels = [notify.github, notify.slack, notify.teams, notify.webhook].some((channel) => channel !== null)
  return [
    ...(kubernetes.source.kind === 'nowhere' ? [] : ['the cluster']),
    ...(github.credential.kind === 'none' ? [] : ['the credential for GitHub']),
    ...(databaseUrl === null ? [] : ['the database']),
    ...(hasChannels ? ['the notification channels'] : []),
  ]
}

/** Points the configuration at the replay with a kubeconfig and a URL, and uses a separate data folder. */
async function toReplayConfig(given: Config, { kubernetesUrl, githubUrl }: Replay, folder: string): Promise<Config> {
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, printKubeconfig(kubernetesUrl), { mode: 0o600 })
  return {
    ...given,
    data: join(given.data, 'replay'),
    databaseUrl: null,
    // A demonstration on one machine, with nothing in it that needs protection.
    api: { ...given.api, openToThisMachine: true, socket: null },
    kubernetes: {
      ...given.kubernetes,
      source: { kind: 'files', paths: [kubeconfig] },
      namespaces: { kind: 'all' },
      podSelector: SELECTOR,
      startWithinMs: STARTS_WITHIN_MS,
    },
    github: {
      ...given.github,
      baseUrl: githubUrl,
      owners: [],
      credential: { kind: 'token', token: new Secret('github-token', 'replay') },
    },
    // Recorded deaths must not page anybody.
    notify: { ...given.notify, github: null, slack: null, teams: null, webhook: null },
    // The replay runs on this machine, so no proxy is used.
    proxy: { https: null, http: null, exceptions: [] },
    caFile: null,
    // Each death is printed as a sentence; an info log line would repeat it.
    log: given.log.level === 'info' ? { ...given.log, level: 'warn' } : given.log,
  }
}

function printKubeconfig(server: string): string {
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'replay',
      clusters: [{ name: 'replay', cluster: { server } }],
      users: [{ name: 'replay', user: {} }],
      contexts: [{ name: 'replay', context: { cluster: 'replay', user: 'replay' } }],
    },
    null,
    2,
  )}\n`
}

async function forgetAll(livePods: LivePods): Promise<void> {
  for (let page = await livePods.page(null, PAGE); page.length > 0; page = await livePods.page(null, PAGE)) {
    await livePods.remove(page.map(({ uid }) => uid))
  }
}
