import { join } from 'node:path'
import { followAuditLogFile } from '#/adapters/audit-log/audit-log-follower.ts'
import type { AuditLogReceiver } from '#/adapters/audit-log/audit-log-receiver.ts'
import { pendingFolder } from '#/adapters/files/pending-folder.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { GitHubConnection } from './open-github.ts'
import type { Config } from '#/config/config.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { Store } from '#/ports/store/store.ts'
import { recordDeaths } from '#/runtime/recorder/record-deaths.ts'
import { RECORDER_DEFAULTS } from '#/runtime/recorder/settings.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import { redactObject, redactToBytes } from './judging.ts'
import { nothingToDispose } from './part.ts'
import type { Part, PartMeans } from './part.ts'

export type Watching = {
  readonly kubernetes: KubernetesConnection
  readonly github: GitHubConnection | null
}

type Means = PartMeans & {
  readonly judging: Pick<RecordingMeans, 'judge' | 'rules'>
  readonly auditLog: string | null
  /** What the API server sends; a log file beside it is believed more. */
  readonly receiver: AuditLogReceiver | null
  readonly agents: NodeAgents
  readonly replay: { readonly audit: AuditLog } | null
  readonly store: Store
  readonly publish: (death: Death) => void
}

const AFTER_FAULT_MS = 1000

/** Watches runner pods and records every end of one. */
export function openRecorder({ kubernetes, github }: Watching, means: Means): Part {
  const { config, receiver, judging, ...given } = means
  const namespaces = watchedNamespaces(config)
  const { podSelector, startWithinMs, followedLogs: mostStreams } = config.kubernetes
  const settings = { ...RECORDER_DEFAULTS, labelSelector: podSelector, startWithinMs, namespaces, mostStreams }
  const options = {
    ...given,
    ...judging,
    kubernetes,
    github,
    githubUrl: config.github.baseUrl,
    repositories: config.github.owners.filter((owner) => owner.includes('/')),
    audit: means.replay?.audit ?? ownAuditLog(means, namespaces),
    pending: pendingFolder(join(config.data, 'pending')),
    redact: redactToBytes,
    redactObject,
    settings,
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    using _receiving = receiver?.open()
    await recordDeaths(options, signal)
  }
  return {
    leaderLoops: [{ name: 'recorder', everyMs: AFTER_FAULT_MS, run }],
    dispose: nothingToDispose,
  }
}

function ownAuditLog({ auditLog, receiver }: Means, namespaces: readonly string[] | null): AuditLog | null {
  if (auditLog === null) return receiver
  return followAuditLogFile(auditLog, namespaces === null ? null : new Set(namespaces))
}

/** Where runner pods are watched: the configured namespaces, and without any all of them; null for all. */
export function watchedNamespaces({ kubernetes: { namespaces } }: Config): readonly string[] | null {
  return namespaces.kind === 'named' ? namespaces.names : null
}
