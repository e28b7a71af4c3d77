import { systemClock } from '#/adapters/clock.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import { makeJudge, redactObject, redactToBytes } from '#/app/judging.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { LogFields } from '#/ports/log.ts'
import type { LogStore } from '#/ports/log-store.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { DeathWrite, PendingWrites } from '#/ports/pending-writings.ts'
import type { Store } from '#/ports/store/store.ts'
import { RECORDER_DEFAULTS } from '#/runtime/recorder/settings.ts'
import { createOutbox } from '#/runtime/outbox/outbox.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createDeathProgress } from '#/runtime/recorder/progress.ts'
import type { DeathProgress } from '#/runtime/recorder/progress.ts'
import { recordDeaths } from '#/runtime/recorder/record-deaths.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import type { RecorderSettings } from '#/runtime/recorder/settings.ts'

export const judge = makeJudge()

export type RunningRecorder = {
  readonly store: Store
  readonly deaths: readonly Death[]
  readonly lines: readonly (readonly [string, LogFields])[]
  readonly exposed: () => string
  readonly progress: DeathProgress
  readonly stop: () => Promise<void>
}

export type RecorderPlan = {
  readonly kubernetes: Kubernetes
  readonly store?: Store
  readonly github?: GitHub | null
  readonly audit?: AuditLog | null
  readonly agents?: NodeAgents
  readonly logStore?: LogStore
  readonly settings?: Partial<RecorderSettings>
  /** Where deaths wait for the store; a disk with room without it. */
  readonly spool?: PendingWrites
  readonly repositories?: readonly string[]
  readonly clock?: Clock
  readonly judge?: RecordingMeans['judge']
  readonly redact?: RecordingMeans['redact']
}

/** A disk in memory, with room for everything. */
function roomySpool(): PendingWrites {
  const waiting: DeathWrite[] = []
  return {
    add: async (writing) => (waiting.push(writing), 'kept'),
    find: async (uid) => waiting.filter(({ postmortem }) => postmortem.uid === uid),
    drain: async (store) => {
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        if ((await store(next)) === 'later') return 'stopped'
        waiting.shift()
      }
      return 'empty'
    },
    probe: async () => {},
    freeBytes: async () => 1e9,
    state: () => ({ waiting: waiting.length, bytes: 0, oldestAt: null, fault: null }),
  }
}

/** The recorder as `serve` starts it, with a store in memory and short intervals. */
export function startRecorder({ kubernetes, store = memoryStore(), ...plan }: RecorderPlan): RunningRecorder {
  const {
    github = null,
    audit = null,
    settings = {},
    spool = roomySpool(),
    repositories = [],
    clock = systemClock,
    redact = redactToBytes,
  } = plan
  const deaths: Death[] = []
  const lines: (readonly [string, LogFields])[] = []
  const log = (message: string, fields: LogFields = {}): void => void lines.push([message, fields])
  const metrics = createMetrics()
  const over = new AbortController()
  const given = {
    kubernetes,
    github,
    audit,
    store,
    metrics,
    judge: plan.judge ?? judge,
    redactObject,
    redact,
  }
  const progress = createDeathProgress(clock)
  const writeLog = { debug: log, info: log, warn: log, error: log }
  const { mostPendingBytes: mostBytes } = { ...RECORDER_DEFAULTS, ...settings }
  const outbox = createOutbox({ deaths: store.deaths, spool, clock, log: writeLog, metrics, mostBytes })
  const fixed = { githubUrl: '', repositories, rules: 'test', outbox, clock, progress }
  const storing = outbox.run(over.signal)
  const done = recordDeaths(
    {
      ...given,
      ...fixed,
      ...(plan.agents === undefined ? {} : { agents: plan.agents }),
      logStore: plan.logStore ?? null,
      publish: (death) => deaths.push(death),
      log: writeLog,
      settings: {
        ...RECORDER_DEFAULTS,
        settleMs: 20,
        agentsBackMs: 0,
        labelSelector: 'x',
        namespaces: null,
        ...settings,
      },
    },
    over.signal,
  )
  const stop = async (): Promise<void> => {
    over.abort()
    await Promise.all([done, storing])
  }
  return { store, deaths, lines, exposed: metrics.expose, progress, stop }
}

/** The stored evidence by source; the reason for a blind one. */
export async function storedParts(store: Store, uid: string): Promise<ReadonlyMap<string, string>> {
  const stored = await store.deaths.get(uid)
  const parts = stored?.evidence ?? []
  return new Map(
    parts.map(({ source, reason, content }) => [
      source,
      content === null ? `${reason}` : Buffer.from(content).toString(),
    ]),
  )
}
