import type { RunnerState } from '#/core/fleet/runner-state.ts'

/** The only safe way to remove a runner by hand: never its pod, and never without a check. */
export function verifyThenDelete({ runner, pod }: RunnerState): string {
  const { namespace, name } = runner
  const look =
    pod === null
      ? 'and that it still has no pod'
      : `and that no Runner.Worker runs in it (kubectl -n ${namespace} exec ${name} -c runner -- ps -eo pid,args)`
  return `first check that GitHub says not busy, ${look}; then kubectl -n ${namespace} delete ephemeralrunner ${name}`
}
