import { systemClock } from '#/adapters/clock.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import { makeJudge, redactObject, redactToBytes } from '#/app/judging.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { LogFields } from '#/ports/log.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import type { PendingWrites } from '#/ports/pending-writings.ts'
import type { Store } from '#/ports/store/store.ts'
import { RECORDER_DEFAULTS } from '#/runtime/recorder/settings.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { recordDeaths } from '#/runtime/recorder/record-deaths.ts'
import type { RecorderSettings } from '#/runtime/recorder/settings.ts'

export const judge = makeJudge()

export type RunningRecorder = {
  readonly store: Store
  readonly deaths: readonly Death[]
  readonly lines: readonly (readonly [string, LogFields])[]
  readonly exposed: () => string
  readonly stop: () => Promise<void>
}

export type RecorderPlan = {
  readonly kubernetes: Kubernetes
  readonly store?: Store
  readonly github?: GitHub | null
  readonly audit?: AuditLog | null
  readonly agents?: NodeAgents
  readonly settings?: Partial<RecorderSettings>
  /** Where deaths wait for the store; nowhere without it. */
  readonly pending?: PendingWrites
  readonly repositories?: readonly string[]
  readonly clock?: Clock
}

const noFolder: PendingWrites = {
  add: async () => ({ why: 'no disk here' }),
  hold: () => {},
  names: async () => [],
  read: async () => null,
  remove: async () => {},
}

/** The recorder as `serve` starts it, with a store in memory and short intervals. */
export function startRecorder({ kubernetes, store = memoryStore(), ...plan }: RecorderPlan): RunningRecorder {
  const {
    github = null,
    audit = null,
    settings = {},
    pending = noFolder,
    repositories = [],
    clock = systemClock,
  } = plan
  const deaths: Death[] = []
  const lines: (readonly [string, LogFields])[] = []
  const log = (message: string, fields: LogFields = {}): void => void lines.push([message, fields])
  const metrics = createMetrics()
  const over = new AbortController()
  const given = { kubernetes, github, audit, store, metrics, judge, redactObject, redact: redactToBytes }
  const fixed = { githubUrl: '', repositories, rules: 'test', pending, clock }
  const done = recordDeaths(
    {
      ...given,
      ...fixed,
      ...(plan.agents === undefined ? {} : { agents: plan.agents }),
      publish: (death) => deaths.push(death),
      log: { debug: log, info: log, warn: log, error: log },
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
    await done
  }
  return { store, deaths, lines, exposed: metrics.expose, stop }
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
