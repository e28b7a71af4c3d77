import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { SetName } from '#/core/fleet/set-parts.ts'

export function setSubject({ namespace, name }: SetName): FindingSubject {
  return { kind: 'AutoscalingRunnerSet', namespace, name }
}

/** A finding about a runner has its set as a field, so that it can be filtered by both. */
export function runnerFinding({ runner, setKey }: RunnerState, finding: Omit<Finding, 'subject'>): Finding {
  return {
    ...finding,
    subject: { kind: 'EphemeralRunner', namespace: runner.namespace, name: runner.name },
    fields: { scaleSet: setKey.slice(runner.namespace.length + 1), ...finding.fields },
  }
}

/** The runner's job, from any source that knows it. */
export function printJob({ runner }: RunnerState): string {
  const name = runner.job?.name ?? runner.githubJob?.name ?? null
  const repository = runner.job?.repository ?? runner.githubJob?.repository ?? null
  return `${name === null ? 'a job' : `job ${name}`}${repository === null ? '' : ` of ${repository}`}`
}

/** The evidence that it has a job, one line per proof. */
export function jobEvidence(state: RunnerState): readonly string[] {
  const { runner, proofs } = state
  return proofs.map((proof) => {
    switch (proof) {
      case 'record':
        return `the EphemeralRunner names ${printJob(state)}`
      case 'github-busy':
        return 'GitHub lists the runner as busy'
      case 'github-job':
        return `GitHub's job ${runner.githubJob?.id ?? ''} in progress names the runner`
    }
  })
}
