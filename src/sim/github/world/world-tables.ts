import type { Clock } from '#/ports/clock.ts'
import type { Seeded } from './seeded.ts'
import type {
  Account,
  CheckRun,
  Repository,
  RunnerGroup,
  SimJob,
  SimRun,
  SimRunner,
  WorldEvent,
} from './world-state.ts'

/** The rows of the world and where its events go. The lifecycles read and write it; everybody else asks the world. */
export type Tables = {
  readonly clock: Clock
  readonly seeded: Seeded
  readonly rules: WorldRules
  readonly accounts: Map<string, Account>
  readonly repositories: Map<string, Repository>
  readonly groups: RunnerGroup[]
  readonly runners: Map<number, SimRunner>
  readonly runs: Map<number, SimRun>
  readonly jobs: Map<number, SimJob>
  readonly jobsOfRun: Map<number, number[]>
  readonly checkRuns: Map<number, CheckRun>
  readonly emit: (event: WorldEvent) => void
}

export type WorldRules = {
  /** From a runner's last sign of life to "lost communication". The lock on a job is valid for ten minutes. */
  readonly lostCommunicationMs: number
  /** A job that was given to a runner and not picked up goes back to the queue. */
  readonly pickUpMs: number
  /** An ephemeral runner that stays away is removed. */
  readonly ephemeralAwayMs: number
  /** A job that no runner takes ends as a failure. */
  readonly queueLimitMs: number
  /** Which of the fitting jobs an idle runner gets: GitHub promises none. */
  readonly order: 'oldest-first' | 'any'
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

export const WORLD_RULES: WorldRules = {
  lostCommunicationMs: 10 * MINUTE,
  pickUpMs: MINUTE,
  ephemeralAwayMs: DAY,
  queueLimitMs: DAY,
  order: 'oldest-first',
}

/** A test asked the simulated world for something that cannot be: the test is wrong, not the world. */
export class SimMisuse extends Error {
  readonly code = 'SIM_MISUSE'
}

export function requireRow<K, T>(rows: ReadonlyMap<K, T>, key: K, what: string): T {
  const row = rows.get(key)
  if (row === undefined) throw new SimMisuse(`no ${what} ${String(key)}`)
  return row
}

/** GitHub's names are not case sensitive. */
export function nameKey(name: string): string {
  return name.toLowerCase()
}
