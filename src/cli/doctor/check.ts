import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { RunningServer } from '#/cli/doctor/running-server.ts'
import type { Network } from '#/app/network.ts'
import type { Config } from '#/config/config.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'

/** One thing that signalbox needs. A check changes nothing. */
export type Check = {
  readonly id: string
  readonly title: string
  /** Outside this machine. If all of these fail, nothing can be reached. */
  readonly reaches?: true
  readonly check: (context: DoctorContext) => Promise<CheckResult>
}

export type CheckResult =
  | {
      readonly kind: 'ok' | 'skip'
      readonly detail: string
      /** What else could be granted; shown in JSON and with `-v`. */
      readonly fix?: string
    }
  | ({ readonly kind: 'warn' | 'fail'; readonly detail: string } & Trouble)

export type Trouble = {
  /** What will not work. */
  readonly cost: string
  /** What to do. */
  readonly fix: string
}

export type DoctorContext = {
  readonly config: Config
  readonly network: Network
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Null: none is configured. */
  readonly kubernetes: KubernetesConnection | null
  readonly github: GitHub | null
  /** Null when none answers. */
  readonly runningServer: () => Promise<RunningServer | null>
  /** Asked once and shared, so that other checks do not wait for the same failure again. */
  readonly clusterVersion: () => Promise<Observed<string>>
  readonly githubIdentity: () => Promise<Observed<string>>
}

export const ok = (detail: string): CheckResult => ({ kind: 'ok', detail })
export const skip = (detail: string): CheckResult => ({ kind: 'skip', detail })

export const warn = (detail: string, trouble: Trouble): CheckResult => ({ kind: 'warn', detail, ...trouble })
export const fail = (detail: string, trouble: Trouble): CheckResult => ({ kind: 'fail', detail, ...trouble })
