import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import type { RunningServer } from '#/cli/doctor/running-server.ts'
import type { Network } from '#/app/network.ts'
import type { Config } from '#/config/config.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub } from '#/ports/github.ts'

/** One thing that signalbox needs. A check looks and changes nothing. */
export type Check = {
  readonly id: string
  readonly title: string
  /** Something outside this machine: when none of these is well, nothing can be reached. */
  readonly reaches?: true
  readonly check: (context: DoctorContext) => Promise<CheckResult>
}

export type CheckResult =
  | {
      readonly kind: 'ok' | 'skip'
      readonly detail: string
      /** What could be had beside, for programs and for `-v`. */
      readonly mend?: string
    }
  | ({ readonly kind: 'warn' | 'fail'; readonly detail: string } & Trouble)

export type Trouble = {
  /** What will not work. */
  readonly cost: string
  /** How to mend it. */
  readonly mend: string
}

export type DoctorContext = {
  readonly config: Config
  readonly network: Network
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Null: none is configured. */
  readonly kubernetes: KubernetesConnection | null
  readonly github: GitHub | null
  /** The one that runs; null where none answers. */
  readonly runningServer: () => Promise<RunningServer | null>
  /** Asked once and shared, so that what rests on it need not wait for the same failure again. */
  readonly clusterVersion: () => Promise<Observed<string>>
  readonly githubIdentity: () => Promise<Observed<string>>
}

export const ok = (detail: string): CheckResult => ({ kind: 'ok', detail })
export const skip = (detail: string): CheckResult => ({ kind: 'skip', detail })

export const warn = (detail: string, trouble: Trouble): CheckResult => ({ kind: 'warn', detail, ...trouble })
export const fail = (detail: string, trouble: Trouble): CheckResult => ({ kind: 'fail', detail, ...trouble })
