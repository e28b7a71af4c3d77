import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { serveFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { Terminal } from '#/cli/output/terminal.ts'
import { ownPackage } from '#/app/own-package.ts'
import type { Config } from '#/config/config.ts'
import type { Death } from '#/core/recorder/death.ts'
import { DURATION_FORM, formatDuration, parseDuration } from '#/core/basics/duration.ts'
import { Secret } from '#/core/basics/secret.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { Sightings } from '#/ports/store.ts'
import { STARTS_WITHIN_MS } from '#/sim/replay/play.ts'
import type { Recording } from '#/sim/replay/recording.ts'
import { openReplay } from '#/sim/replay/replay.ts'
import type { Replay } from '#/sim/replay/replay.ts'
import { replayBanner } from './replay-banner.ts'
import type { Served } from './replay-banner.ts'
import { readRecordings } from './replay-recordings.ts'
import { sentenceLine } from './replay-sentence.ts'

/** What `serve --replay` uses instead of a cluster. */
export type ServedReplay = AsyncDisposable & {
  /** The given one, pointed at the replay: it reaches no real cluster, GitHub or database. */
  readonly config: Config
  readonly audit: AuditLog
  readonly agents: NodeAgents
  readonly announce: (served: Served) => void
  /** Starts playing. Live pods of an earlier replay are deleted: their simulated cluster is gone. */
  readonly begin: (sightings: Sightings) => Promise<void>
  readonly tell: (death: Death) => void
}

type Context = Pick<CommandContext<typeof serveFlags>, 'flags' | 'terminal' | 'clock' | 'signal'>

const HEALTHY = 24
/** The best known death is played first. */
const OPENING = 'oom-container'
const SELECTOR = 'actions.github.com/scale-set-name'
const PAGE = 500

export async function openServedReplay(context: Context, given: Config): Promise<ServedReplay> {
  const { terminal, clock, signal } = context
  const seed = seedOf(context)
  const paceMs = paceOf(context)
  const recordings = await ownRecordings(signal)
  const replay = await openReplay({ recordings, opening: OPENING, clock, seed, paceMs, healthy: HEALTHY })
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-replay-'))
  const config = await leadToStage(given, replay, folder)
  const stop = new AbortController()
  let playing: Promise<void> = Promise.resolve()
  const told = { seed, pace: formatDuration(paceMs), recordings: recordings.length, living: HEALTHY }
  return {
    config,
    audit: replay.audit,
    agents: replay.agents,
    announce: (served) => {
      for (const line of replayBanner({ ...told, ...served, ignored: ignoredOf(given) }, terminal.style))
        terminal.notice(line)
    },
    begin: async (sightings) => {
      await forgetAll(sightings)
      playing = replay.run(stop.signal)
    },
    tell: (death) => tell(death, terminal, clock),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await playing
      await replay[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function ownRecordings(signal: AbortSignal): Promise<readonly Recording[]> {
  const recordings = await readRecordings(join(ownPackage().folder, 'recordings'), signal)
  if (recordings.length > 0) return recordings
  throw new CommandFailure(EXIT.failed, 'this package has no recordings', ['install it again'])
}

function tell(death: Death, terminal: Terminal, clock: Clock): void {
  const line = sentenceLine(death, { now: clock.now(), style: terminal.style })
  if (line !== null) terminal.notice(line)
}

const MOST_SEED = 0xffff_ffff

function seedOf({ flags, clock }: Context): number {
  const given = flags['replay-seed']
  if (given === undefined) return clock.now() % 1_000_000
  const seed = Number(given)
  if (/^\d+$/.test(given) && seed <= MOST_SEED) return seed
  throw new CommandFailure(EXIT.usage, `--replay-seed: ${given} is not a whole number from 0 to ${MOST_SEED}`)
}

const SHORTEST_PACE_MS = 100

function paceOf({ flags }: Context): number {
  const ms = parseDuration(flags['replay-pace'])
  if (ms !== null && ms >= SHORTEST_PACE_MS) return ms
  throw new CommandFailure(EXIT.usage, `--replay-pace: ${flags['replay-pace']} is not a duration of at least 100ms`, [
    `use ${DURATION_FORM}`,
  ])
}

/** The configured things that a replay does not use. */
function ignoredOf({ kubernetes, github, databaseUrl, notify }: Config): readonly string[] {
  const isTold = [notify.github, notify.slack, notify.teams, notify.webhook].some((channel) => channel !== null)
  return [
    ...(kubernetes.source.kind === 'nowhere' ? [] : ['the cluster']),
    ...(github.credential.kind === 'none' ? [] : ['the credential for GitHub']),
    ...(databaseUrl === null ? [] : ['the database']),
    ...(isTold ? ['the notification channels'] : []),
  ]
}

/** Points the configuration at the replay with a kubeconfig and a URL, and uses a separate data folder. */
async function leadToStage(given: Config, { kubernetesUrl, githubUrl }: Replay, folder: string): Promise<Config> {
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf(kubernetesUrl), { mode: 0o600 })
  return {
    ...given,
    data: join(given.data, 'replay'),
    databaseUrl: null,
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

function kubeconfigOf(server: string): string {
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

async function forgetAll(sightings: Sightings): Promise<void> {
  for (let page = await sightings.page(null, PAGE); page.length > 0; page = await sightings.page(null, PAGE)) {
    await sightings.remove(page.map(({ uid }) => uid))
  }
}
