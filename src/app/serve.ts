import { certificateFiles } from '#/adapters/files/certificate-files.ts'
import { ownPackage } from '#/adapters/files/own-package.ts'
import type { Config } from '#/config/config.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { lead } from '#/runtime/lead/lead.ts'
import { createLeadStatus } from '#/runtime/lead/lead-status.ts'
import type { LeadStatus } from '#/runtime/lead/lead-status.ts'
import { repeat } from '#/runtime/lead/loop.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createDeathProgress } from '#/runtime/recorder/progress.ts'
import { admission, watchLag } from '#/server/admission.ts'
import { createApp } from '#/server/app.ts'
import type { Readiness } from '#/server/app.ts'
import { listen } from '#/server/listen.ts'
import { openAccess } from './access.ts'
import { openAgents } from './agents.ts'
import { openApiSocket } from './api-socket.ts'
import { openAuditWebhook } from './audit-webhook.ts'
import { openChannels, replayedPlan } from './channels.ts'
import { openCertificate } from './certificate.ts'
import { openConnections } from './connections.ts'
import { openDispatch } from './dispatch/open-dispatch.ts'
import { openDeathsApi } from './deaths-api.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { openJudging } from './judging-threads.ts'
import { openLedger } from './ledger.ts'
import { openNotifications } from './notifications.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'
import { openGuard } from './guard.ts'
import { openAuditLog, openRecorder } from './recorder.ts'
import { watchedNamespaces } from '#/app/part/watched-namespaces.ts'
import { openReplayPart } from './replay.ts'
import type { ReplaySetup } from './replay.ts'
import { openRetention } from './retention.ts'
import { openStore, openStoreWatch } from './store.ts'
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
  /** The path of the Unix socket; null without one. */
  readonly socket: string | null
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
  const status = createLeadStatus(metrics)
  const { parts, facts } = await assemble(plan, { storePart, means, version, opened }, signal)
  const app = createApp({
    version,
    metrics,
    log,
    readiness: [...parts.flatMap(({ readiness = [] }) => readiness), { name: 'leader', check: () => readLead(status) }],
    routes: parts.flatMap(({ routes = [] }) => routes),
  })
  const socket = await openApiSocket(app, config, log)
  opened.defer(socket.close)
  const listening = await listen(app, config.listen, config.tls === null ? null : certificateFiles(config.tls))
  if (listening.kind === 'refused') throw new AppFailure('failed', listening.why, [listening.next])
  if (config.api.openToThisMachine && plan.replay === null) log.warn(OPEN_HERE)
  reports.listening({ version, where: storePart.where, url: listening.url, socket: socket.path, ...facts })
  const loops = parts.flatMap(({ leaderLoops = [] }) => leaderLoops)
  const onEveryReplica = parts.flatMap(({ replicaLoops = [] }) => replicaLoops)
  await Promise.all([
    lead({ leadership: storePart.leadership, loops, status, clock, log, metrics }, signal),
    ...onEveryReplica.map((loop) => repeat(loop, means, signal)),
  ])
  reports.stopping()
  await listening.close()
}

/** Recording goes on; that the database is away makes another check fail. */
async function readLead({ withoutStoreSince }: LeadStatus): Promise<Readiness> {
  const since = withoutStoreSince()
  if (since === null) return { ok: true }
  const note = `recording without the database since ${new Date(since).toISOString()}, deaths wait in the spool`
  return { ok: true, note }
}

const MEGABYTE = 1024 * 1024
const API_LIMITS = {
  mostAtOnce: 16,
  mostAtOnceOfCaller: 4,
  mostWaiting: 256,
  mostWaitingOfCaller: 32,
  mostUnreadBytes: 64 * MEGABYTE,
  mostUnreadBytesOfCaller: 24 * MEGABYTE,
}

const OPEN_HERE =
  'api.openToThisMachine is on: every process on this machine, and everything that forwards to it, may read and change without a token'

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
  const { store, forRecorder, forApi } = storePart
  const parts: Part[] = [storePart]
  const add = <P extends Part>(part: P): P => {
    opened.defer(part.dispose)
    parts.push(part)
    return part
  }
  add(openStoreWatch(means, storePart))
  const judging = add(openJudging(means))
  const rejudging = { judge: judging.judgeFor('rejudge'), rules: version }
  const { pack, readAuditEvents } = judging
  const progress = createDeathProgress(means.clock)
  const { guards, readableBy } = add(await openAccess({ ...means, tokens: store.tokens }))
  // One for all: the answers of every page come out of the same memory and the same thread.
  const admit = admission(API_LIMITS, { lag: watchLag(), isBehind: progress.isRecordingLate })
  const stored = { deaths: forApi.deaths, livePods: forApi.livePods, awaited: progress.of }
  add(openDeathsApi({ ...means, ...stored, guards, admit, judging: rejudging, pack }))
  const kept = { deaths: forApi.deaths, redact: judging.redact, rules: version }
  const { ledger } = add(openLedger({ ...means, ...kept, guards, admit, ledger: store.ledger, forApi: forApi.ledger }))
  const { receiver } = add(await openAuditWebhook({ ...means, readAuditEvents }))
  const { network, kubernetes, github, logStore } = add(await openConnections(means))
  add(await openCertificate({ ...means, kubernetes }))
  const { agents } = add(await openAgents({ ...means, kubernetes, guards }, signal))
  const channels = openChannels({ notify: config.notify, network, github, clock: means.clock })
  const plans = replay === null ? channels.plans : [replayedPlan(config.notify, reports.notification)]
  const notifications = add(openNotifications({ plans, channels }, { ...means, store }))
  add(openRetention(means, store.retention))
  const keep = { redact: judging.redact, rules: version }
  const dispatching = { ...means, store, forWebhooks: storePart.forWebhooks, ledger, guards, admit, keep, github }
  await openDispatch(add, { ...dispatching, kubernetes: replay === null ? kubernetes : null })
  if (replay !== null) add(await openReplayPart(replay, store.livePods))
  if (kubernetes === null) return { parts, facts: { readableBy, watches: null } }
  const publish = (death: Death): void => {
    reports.death(death)
    notifications.publish(death)
  }
  const audit = replay?.audit ?? openAuditLog({ ...means, auditLog, receiver })
  const { heard } = add(openGuard({ ...means, kubernetes, github, ledger, audit }))
  const recording = {
    judging: { ...judging, rules: version },
    audit,
    ...(heard === undefined ? {} : { heard }),
    receiver,
    agents: replay?.agents ?? agents,
    store: forRecorder,
    publish,
    spoolCleared: notifications.lookAgain,
    progress,
  }
  add(openRecorder({ kubernetes, github, logStore: replay === null ? logStore : null }, { ...means, ...recording }))
  return { parts, facts: { readableBy, watches: watchesLine(config) } }
}

function watchesLine(config: Config): string {
  const { kubernetes, github } = config
  const where = watchedNamespaces(config)?.join(', ') ?? 'all namespaces'
  return `pods with ${kubernetes.podSelector} in ${where}${github.credential.kind === 'none' ? '; without GitHub: no credential' : ''}`
}
