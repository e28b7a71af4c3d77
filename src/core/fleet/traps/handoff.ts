import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { isNotBusy } from '#/core/fleet/github-status.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { ExcerptLine } from '#/core/fleet/snapshot.ts'
import type { RuntimeView, SetView } from './view.ts'

/** The runner took the message of a job that had been cancelled, and waits forever: the lane has one runner less. */
export type Handoff = {
  readonly line: ExcerptLine
  readonly set: SetView
  /** Jobs that the set could take; null if GitHub's queue could not be read. */
  readonly waiting: readonly FleetJob[] | null
  readonly live: number
}

/** Only if jobs wait for the set, or, with the queue unknown, if the set is at its maximum. */
export function findHandoff(state: RunnerState, view: RuntimeView): Handoff | null {
  const line = findSkippedLine(state)
  const set = view.findSet(state)
  if (line === null || set === null) return null
  const waiting = view.waitingFor(set.set)
  const live = set.states.filter((one) => one.isLive).length
  const isFull = set.set.maxRunners !== null && live >= set.set.maxRunners
  const isTrap = waiting === null ? isFull : waiting.length > 0
  return isTrap ? { line, set, waiting, live } : null
}

/** The runner's log line about the skipped job, while it runs without a job. */
function findSkippedLine({ log, hasJob, isLive, pod, github }: RunnerState): ExcerptLine | null {
  if (hasJob || !isLive || pod?.phase !== 'Running') return null
  return github.kind === 'unknown' || isNotBusy(github) ? log.cancelled : null
}
