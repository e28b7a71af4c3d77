import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { isDown } from '#/core/fleet/listener-state.ts'
import { printTime } from '#/core/basics/print-time.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { isRunnerSurely, knownRunnerContainer } from '#/core/kubernetes/runner-container.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { gatesFor } from './gates.ts'
import { jobEvidence, runnerFinding } from './subject.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'

export function jobsAtRisk(view: RuntimeView): readonly Finding[] {
  return view.runners.flatMap((state) => {
    const why = listRisks(state, view)
    return why.length === 0 ? [] : [finding(state, why, view)]
  })
}

function finding(state: RunnerState, why: readonly string[], view: RuntimeView): Finding {
  const { runner } = state
  return runnerFinding(state, {
    class: 'assigned-job-at-risk',
    severity: 'critical',
    evidence: [...jobEvidence(state), ...why],
    hint: `${adviseOn(state, findFate(state, view.fleet))}; signalbox why ${runner.name} -n ${runner.namespace} shows what happened`,
    gates: gatesFor(state, view, 'gone'),
    fields: { proofs: state.proofs },
  })
}

/** `dead`: nothing runs the job any more. `leaving`: it runs until its pod is gone. `running`: it may well finish. */
type Fate = 'dead' | 'leaving' | 'running'

function findFate({ pod }: RunnerState, fleet: Fleet): Fate {
  if (pod === null) return fleet.saw('kubernetes/pods') ? 'dead' : 'running'
  if (hasEnded(pod) || isRunnerSurely(pod, 'terminated')) return 'dead'
  return pod.deletedAt === null ? 'running' : 'leaving'
}

/** Waiting helps only where something still runs the job. */
function adviseOn(state: RunnerState, fate: Fate): string {
  const { runner, pod } = state
  const cancel = `cancel its run at GitHub${describeCancel(state)}`
  switch (fate) {
    case 'dead':
      return `the job is lost, its runner is dead: GitHub gives it up after about ten minutes; do not wait, ${cancel} and run it again; do not delete ${runner.name} until GitHub says that it is not busy`
    case 'leaving':
      return `do not delete ${runner.name}: the job is lost unless it ends before its pod does (${printTime(pod?.deletedAt ?? 0)}); what ends after that, GitHub gives up after about ten minutes`
    case 'running':
      return `do not delete ${runner.name}: wait for the job, or ${cancel}`
  }
}

function describeCancel({ runner }: RunnerState): string {
  const id = runner.job?.runId ?? runner.githubJob?.runId ?? null
  const repository = runner.job?.repository ?? runner.githubJob?.repository ?? null
  return id === null || repository === null ? '' : ` (gh run cancel ${id} -R ${repository})`
}

/** Why the job may be lost, one reason each; empty if the runner has no job or is healthy. */
export function listRisks(state: RunnerState, view: RuntimeView): readonly string[] {
  if (!state.hasJob || isJobOver(state)) return []
  return [...podRisks(state, view.fleet), ...offline(state, view.fleet), ...unseen(state, view)]
}

/** ARC never clears the job fields: the job is over if GitHub says so, or if the runner exited with 0. */
function isJobOver({ runner, pod, proofs }: RunnerState): boolean {
  if (proofs.some((proof) => proof !== 'record')) return false
  if (runner.namedBy?.status === 'completed') return true
  const end = pod === null ? null : knownRunnerContainer(pod)?.state
  return end?.kind === 'terminated' && end.exitCode === 0
}

function podRisks(state: RunnerState, fleet: Fleet): readonly string[] {
  const { pod, isDeleting, github } = state
  if (!fleet.saw('kubernetes/pods')) return []
  const failure = pod === null ? null : describeFailure(pod)
  if (failure !== null) return [failure]
  // ARC removes a finished runner first at GitHub, then its pod: that is the normal end of every job.
  if (isDeleting && github.kind === 'absent') return []
  if (pod === null) return ['its pod is gone']
  if (pod.deletedAt !== null) return [`its pod is being deleted, due ${new Date(pod.deletedAt).toISOString()}`]
  return endedUnder(state, pod, fleet)
}

function describeFailure(pod: PodRecord): string | null {
  const end = knownRunnerContainer(pod)?.state
  const code = end?.kind === 'terminated' ? end.exitCode : null
  if (pod.phase !== 'Failed' && (code === null || code === 0)) return null
  return `its pod has failed${pod.reason === null ? '' : ` (${pod.reason})`}${code === null ? '' : `, exit code ${code}`}`
}

/** The runner exited with 0, but GitHub still waits for the job: the completion was lost. */
function endedUnder({ runner }: RunnerState, pod: PodRecord, { now, thresholds }: Fleet): readonly string[] {
  const end = knownRunnerContainer(pod)?.state
  if (end?.kind !== 'terminated' || runner.githubJob === null) return []
  const isOver = now - (end.finishedAt ?? now) > thresholds.justStarted
  return isOver ? [`its pod ended ${printAge(end.finishedAt, now)} ago and GitHub still runs the job`] : []
}

function offline({ github, startedAt }: RunnerState, { now, thresholds }: Fleet): readonly string[] {
  if (github.kind !== 'listed' || github.isOnline) return []
  const isNew = startedAt !== null && now - startedAt <= thresholds.justStarted
  return isNew ? [] : [`${describeGitHubStatus(github)}; it started ${printAge(startedAt, now)} ago`]
}

/** ARC considers it idle and may delete it. */
function unseen(state: RunnerState, view: RuntimeView): readonly string[] {
  const listener = view.findSet(state)?.listener
  if (state.proofs.includes('record') || listener === undefined || !isDown(listener)) return []
  return [`only GitHub knows of the job: ${listener.evidence[0] ?? 'the listener is down'}`]
}
