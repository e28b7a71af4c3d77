import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { findConflict } from '#/core/fleet/traps/zombie.ts'
import { deleteRunner } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

export const zombie: Policy = {
  id: 'zombie',
  removes:
    'runners whose pod was created again with a used JIT configuration: they look ready but cannot get a session',
  about:
    "As zombie-session-conflict of the audit runtime: by the runner's log, or without a log by a pod much younger than a runner with a recorded job. A job on its record refuses, also after its run was cancelled, because ARC never clears it: the audit says how to remove such a runner by hand.",
  github: 'gone',
  needs: ['kubernetes/ephemeralrunners', 'kubernetes/pods'],
  propose: ({ runners, fleet }) =>
    runners.flatMap((state) => {
      const why = findConflict(state, fleet)
      return why === null ? [] : [deleteRunner(state, [why, describeGitHubStatus(state.github)])]
    }),
}
