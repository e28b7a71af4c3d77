import { certificateFiles } from '#/adapters/files/certificate-files.ts'
import { ownPackage } from '#/adapters/files/own-package.ts'
import type { Config } from '#/config/config.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { lead } from '#/runtime/lead/lead.ts'
import { repeat } from '#/runtime/lead/loop.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { listen } from '#/server/listen.ts'
import { openAgents } from './agents.ts'
import { openAuditWebhook } from './audit-webhook.ts'
import { openChannels, replayedPlan } from './channels.ts'
import { openConnections } from './connections.ts'
import { openDeathsApi } from './deaths-api.ts'
import { AppFailure } from './failure.ts'
import { makeJudge } from './judging.ts'
import { openNotifications } from './notifications.ts'
import type { Part, PartMeans } from './part.ts'
import { openRecorder, watchedNamespaces } from './recorder.ts'
import { openReplayPart } from './replay.ts'
import type { ReplaySetup } from './replay.ts'
import { openRetention } from './retention.ts'
import { openStore } from './store.ts'
import type { StorePart } from './store.ts'

export type ServePlan = {
  readonly config: Config
  readonly auditLog: string | null
  readonly replay: ReplaySetup | null
  readonly clock: Clock
  readonly log: Log
  readonly reports: ServeReports
}

/** What a person is shown while it runs; the command prints it. */
export type ServeReports = {
  readonly notice: (text: string) => void
  /** Whether the store could be opened or not. */
  readonly storeTried: () => void
  readonly listening: (facts: ServeFacts) => void
  readonly death: (death: Death) => void
  /** In a replay: a notice that a channel would send. */
  readonly notification: (text: string) => void
  readonly stopping: () => void
}

export type ServeFacts = Readonly<Record<'version' | 'where' | 'url' | 'readableBy', string>> & {
  /** The pods that are watched; null without a cluster. */
  readonly watches: string | null
}

type Assembled = { readonly parts: readonly Part[]; readonly facts: Pick<ServeFacts, 'readableBy' | 'watches'> }

/** Opens every part, serves until the signal, and closes the parts in reverse. */
export async function serve(plan: ServePlan, signal: AbortSignal): Promise<void> {
  const { config, clock, log, reports } = plan
  await using opened = new AsyncDisposableStack()
  const storePart = await openStore({ config, clock, notice: reports.notice }, signal).finally(reports.storeTried)
  opened.defer(storePart.dispose)
  const { version } = ownPackage()
  const metrics = createMetrics()
  metrics.gauge('signalbox_build_info', 'The version that runs.').set(1, { version, node: process.versions.node })
  const means = { config, clock, log, metrics }
  const { parts, facts } = await assemble(plan, { storePart, means, version, opened }, signal)
  const app = createApp({
    version,
    metrics,
    log,
    readiness: parts.flatMap(({ readiness = [] }) => readiness),
    routes: parts.flatMap(({ routes = [] }) => routes),
  })
  const listening = await listen(app, config.listen, config.tls === null ? null : certificateFiles(config.tls))
  if (listening.kind === 'refused') throw new AppFailure('failed', listening.why, [listening.next])
  reports.listening({ version, where: storePart.where, url: listening.url, ...facts })
  const loops = parts.flatMap(({ leaderLoops = [] }) => leaderLoops)
  const onEveryReplica = parts.flatMap(({ replicaLoops = [] }) => replicaLoops)
  await Promise.all([
    lead({ leadership: storePart.leadership, loops, clock, log, metrics }, signal),
    ...onEveryReplica.map((loop) => repeat(loop, means, signal)),
  ])
  reports.stopping()
  await listening.close()
}

type Shared = {
  readonly storePart: StorePart
  readonly means: PartMeans
  readonly version: string
  readonly opened: AsyncDisposableStack
}

/** The one list of parts. A part comes after the parts it uses. */
async function assemble(
  { auditLog, replay, reports }: ServePlan,
  { storePart, means, version, opened }: Shared,
  signal: AbortSignal,
): Promise<Assembled> {
  const { config } = means
  const { store } = storePart
  const parts: Part[] = [storePart]
  const add = <P extends Part>(part: P): P => {
    opened.defer(part.dispose)
    parts.push(part)
    return part
  }
  const judging = { judge: makeJudge(), rules: version }
  const { readableBy } = add(await openDeathsApi({ ...means, deaths: store.deaths, judging }))
  const { receiver } = add(await openAuditWebhook(means))
  const { network, kubernetes, github } = add(await openConnections(means))
  const { agents } = add(await openAgents({ ...means, kubernetes }, signal))
  const channels = openChannels({ notify: config.notify, network, github, clock: means.clock })
  const plans = replay === null ? channels.plans : [replayedPlan(config.notify, reports.notification)]
  const notifications = add(openNotifications({ plans, channels }, { ...means, store }))
  add(openRetention(means, store.retention))
  if (replay !== null) add(await openReplayPart(replay, store.livePods))
  if (kubernetes === null) return { parts, facts: { readableBy, watches: null } }
  const publish = (death: Death): void => {
    reports.death(death)
    notifications.publish(death)
  }
  const recording = { judging, auditLog, receiver, agents: replay?.agents ?? agents, replay, store, publish }
  add(openRecorder({ kubernetes, github }, { ...means, ...recording }))
  return { parts, facts: { readableBy, watches: watchesLine(config) } }
}

function watchesLine(config: Config): string {
  const { kubernetes, github } = config
  const where = watchedNamespaces(config)?.join(', ') ?? 'all namespaces'
  return `pods with ${kubernetes.podSelector} in ${where}${github.credential.kind === 'none' ? '; without GitHub: no credential' : ''}`
}
