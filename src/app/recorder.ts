import { watchedNamespaces } from '#/app/part/watched-namespaces.ts'
import { join } from 'node:path'
import { followAuditLogFile } from '#/adapters/audit-log/audit-log-follower.ts'
import type { AuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import { openSpool } from '#/adapters/spool/spool.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { GitHubConnection } from './open-github.ts'
import { POOL_LABEL } from '#/core/pools/own-pod.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { LogStore } from '#/ports/log-store.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { Store } from '#/ports/store/store.ts'
import { createOutbox } from '#/runtime/outbox/outbox.ts'
import type { Outbox } from '#/runtime/outbox/outbox.ts'
import { recordDeaths } from '#/runtime/recorder/record-deaths.ts'
import type { RecorderOptions } from '#/runtime/recorder/record-deaths.ts'
import type { DeathProgress } from '#/runtime/recorder/progress.ts'
import { RECORDER_DEFAULTS } from '#/runtime/recorder/settings.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import type { JudgingPart } from './judging-threads.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

export type Watching = {
  readonly kubernetes: KubernetesConnection
  readonly github: GitHubConnection | null
  readonly logStore: LogStore | null
}

type Means = PartMeans & {
  readonly judging: Pick<RecordingMeans, 'rules'> & Pick<JudgingPart, 'judge' | 'redact' | 'redactObject'>
  /** What the API server sends. */
  readonly receiver: AuditLogReceiver | null
  /** Null where no agent can be let in. */
  readonly agents: NodeAgents | null
  readonly audit: AuditLog | null
  /** Others that use the same watches. */
  readonly heard?: RecorderOptions['heard']
  readonly store: Pick<Store, 'deaths' | 'livePods'>
  readonly publish: (death: Death) => void
  /** All deaths that waited in the spool are stored. */
  readonly spoolCleared: () => void
  /** What each open death waits for, also for the API. */
  readonly progress: DeathProgress
}

const AFTER_FAULT_MS = 1000

/** Watches runner pods and records every end of one. */
export function openRecorder({ kubernetes, github, logStore }: Watching, means: Means): Part {
  const { config, receiver, judging, agents, heard, ...given } = means
  const namespaces = watchedNamespaces(config)
  const { podSelector, startWithinMs, followedLogs: mostStreams } = config.kubernetes
  const alsoWatched = config.dispatch === null ? [] : [POOL_LABEL]
  const settings = {
    ...RECORDER_DEFAULTS,
    labelSelector: podSelector,
    alsoWatched,
    startWithinMs,
    namespaces,
    mostStreams,
  }
  const { mostPendingBytes: mostBytes, mostPendingDiskBytes } = settings
  const spool = openSpool({ folder: join(config.data, 'pending'), log: means.log, mostBytes: mostPendingDiskBytes })
  const { deaths } = means.store
  const outbox = createOutbox({ ...given, deaths, spool, mostBytes, cleared: means.spoolCleared })
  const options = {
    ...given,
    ...(heard === undefined ? {} : { heard }),
    ...(agents === null ? {} : { agents }),
    judge: judging.judge,
    redact: judging.redact,
    redactObject: judging.redactObject,
    rules: judging.rules,
    kubernetes,
    github,
    logStore,
    githubUrl: config.github.baseUrl,
    repositories: config.github.owners.filter((owner) => owner.includes('/')),
    outbox,
    settings,
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    using _receiving = receiver?.open()
    await recordDeaths(options, signal)
  }
  return {
    // Rows are idempotent by UID, and there is the spool: two recorders do less harm than none.
    leaderLoops: [{ name: 'recorder', everyMs: AFTER_FAULT_MS, run, goesOnWithoutStore: true }],
    // A replica that no longer leads still has what it spooled.
    replicaLoops: [{ name: 'outbox', everyMs: AFTER_FAULT_MS, run: outbox.run }],
    readiness: [{ name: 'spool', check: () => readSpool(outbox) }],
    dispose: nothingToDispose,
  }
}

/** A spool that is nearly full is reported and works. */
async function readSpool(outbox: Outbox) {
  const condition = await outbox.condition()
  if (condition.kind === 'full') return { ok: false, why: condition.why } as const
  return condition.kind === 'ok' ? ({ ok: true } as const) : ({ ok: true, note: condition.why } as const)
}

type AuditLogMeans = Pick<PartMeans, 'config' | 'clock' | 'log'> & {
  readonly auditLog: string | null
  readonly receiver: AuditLogReceiver | null
}

/** A log file is believed more than what the API server sends. */
export function openAuditLog({ auditLog, receiver, clock, log, config }: AuditLogMeans): AuditLog | null {
  const namespaces = watchedNamespaces(config)
  if (auditLog === null) return receiver
  return followAuditLogFile(auditLog, {
    namespaces: namespaces === null ? null : new Set(namespaces),
    clock,
    log,
  })
}
