import type { PolicyId } from '#/core/interlock/policy.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'

/** By the policy that finds it; or the only safe way by hand: never its pod, and never without a check. */
export function verifyThenDelete({ runner, pod }: RunnerState, policy: PolicyId): string {
  const { namespace, name } = runner
  const look =
    pod === null
      ? 'and that it still has no pod'
      : `and that no Runner.Worker runs in it (kubectl -n ${namespace} exec ${name} -c runner -- ps -eo pid,args)`
  const byHand = `first check that GitHub says not busy, ${look}; then kubectl -n ${namespace} delete ephemeralrunner ${name}`
  // ARC never clears a job from the record, and no-job-on-record refuses it for ever: that is no way out.
  if (runner.job !== null) return byHand
  return `signalbox reap --policy ${policy} -n ${namespace} (--apply removes it); by hand: ${byHand}`
}
