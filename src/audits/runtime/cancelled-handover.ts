import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { isNotBusy, printWord } from '#/core/fleet/github-word.ts'
import { quote } from '#/core/fleet/log-of.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { ExcerptLine } from '#/core/fleet/snapshot.ts'
import { gatesFor } from './gates.ts'
import { ofRunner } from './subject.ts'
import { verifyThenDelete } from './verify.ts'
import type { RuntimeView, SetView } from './view.ts'

/** The runner took the message of a job that had been cancelled, and waits for ever: the lane has one place less. */
export function cancelledHandovers(view: RuntimeView): readonly Finding[] {
  return view.runners.flatMap((state) => {
    const handover = handoverOf(state, view)
    return handover === null ? [] : [told(state, handover, view)]
  })
}

function told(state: RunnerState, { line, waiting, live, set }: Handover, view: RuntimeView): Finding {
  const bound = set.set.maxRunners
  return ofRunner(state, {
    class: 'cancelled-job-handoff',
    severity: 'warning',
    evidence: [
      `its log: ${quote(line.text)}`,
      `it took no job since then${line.at === null ? '' : ` (${printAge(line.at, view.fleet.now)})`}; ${printWord(state.github)}`,
      waiting === null ? 'which jobs wait is not known' : `jobs that wait for its set: ${waiting.length}`,
      `runners of its set: ${live}, maxRunners is ${bound ?? 'without a bound'}`,
    ],
    hint: `see that the job that replaces the cancelled one still waits, and touch this runner alone: ${verifyThenDelete(state)}`,
    gates: gatesFor(state, view, 'not-busy'),
    fields: { waitingJobs: waiting?.length ?? null, maxRunners: bound },
  })
}

export type Handover = {
  readonly line: ExcerptLine
  readonly set: SetView
  /** Jobs that the set could take; null where GitHub's queue could not be read. */
  readonly waiting: readonly FleetJob[] | null
  readonly live: number
}

/** A trap only where somebody waits behind it. Where the queue is unknown, a set without a place for another runner is one. */
export function handoverOf(state: RunnerState, view: RuntimeView): Handover | null {
  const line = skippedLine(state)
  const set = view.setOf(state)
  if (line === null || set === null) return null
  const waiting = view.waitingFor(set.set)
  const live = set.states.filter((one) => one.isLive).length
  const isFull = set.set.maxRunners !== null && live >= set.set.maxRunners
  const isTrap = waiting === null ? isFull : waiting.length > 0
  return isTrap ? { line, set, waiting, live } : null
}

/** The runner's own word, while it stands there with nothing to do. */
function skippedLine({ log, hasJob, isLive, pod, github }: RunnerState): ExcerptLine | null {
  if (hasJob || !isLive || pod?.phase !== 'Running') return null
  return github.kind === 'unknown' || isNotBusy(github) ? log.cancelled : null
}
