import type { Finding } from '#/core/audit/finding.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { isDown } from '#/core/fleet/listener-state.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { findHandoff } from '#/core/fleet/traps/handoff.ts'
import { runnerFinding, setSubject } from './subject.ts'
import type { RuntimeView, SetView } from '#/core/fleet/traps/view.ts'

/** One for each idle runner, and one for each set that has some. */
export function idleRunners(view: RuntimeView): readonly Finding[] {
  const idle = view.runners.filter((state) => isIdle(state, view))
  const setFindings = view.sets.flatMap((set): readonly Finding[] => {
    const own = set.states.filter((state) => isIdle(state, view))
    return own.length === 0 ? [] : [setFinding(set, own)]
  })
  return [...setFindings, ...idle.map((state) => idleFinding(state, view))]
}

/** With the listener down the EphemeralRunner never shows a job: then only GitHub can say that it is idle. */
function isIdle(state: RunnerState, view: RuntimeView): boolean {
  if (!state.isIdle || findHandoff(state, view) !== null) return false
  const listener = view.findSet(state)?.listener
  const isRecordGood = listener !== undefined && listener.condition !== 'unknown' && !isDown(listener)
  return state.github.kind !== 'unknown' || isRecordGood
}

const LEAVE = 'ready capacity: leave it alone'

function idleFinding(state: RunnerState, view: RuntimeView): Finding {
  const isBlocker = view.findSet(state)?.rollover.kind === 'wedged'
  return runnerFinding(state, {
    class: 'idle-no-job-runner',
    severity: 'info',
    evidence: ['ready, no job field is set', describeGitHubStatus(state.github)],
    hint: isBlocker
      ? 'it blocks the rollover of its set: see rollover-wedged, and delete it only if those gates hold'
      : LEAVE,
  })
}

function setFinding({ set, rollover }: SetView, idle: readonly RunnerState[]): Finding {
  const runners = idle.map(({ runner }) => runner.name)
  return {
    class: 'idle-no-job-runner',
    severity: 'info',
    subject: setSubject(set),
    evidence: [`ready and without a job: ${idle.length} of its runners; minRunners is ${set.minRunners}`],
    hint: rollover.kind === 'wedged' ? 'they block the rollover: see rollover-wedged' : LEAVE,
    fields: { scaleSet: set.name, idle: idle.length, runners },
  }
}
