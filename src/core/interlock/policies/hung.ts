import { printAge } from '#/core/basics/age.ts'
import { findFinishedJob } from '#/core/fleet/traps/hung.ts'
import { deleteRunner } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

export const hung: Policy = {
  id: 'hung',
  removes: 'runners that still run 5 minutes after GitHub completed their job',
  about:
    'As hung-after-completion of the audit runtime. ARC never clears the job fields, so a runner whose EphemeralRunner names the job is refused by no-job-on-record: the contract lets no runner with a job on record go. What is left are runners whose job the listener did not record.',
  github: 'not-busy',
  needs: ['kubernetes/ephemeralrunners', 'github/jobs'],
  propose: ({ runners, fleet }) =>
    runners.flatMap((state) => {
      const job = findFinishedJob(state, fleet)
      if (job === null) return []
      const when = printAge(job.completedAt, fleet.now)
      return [
        deleteRunner(state, [
          `GitHub's job ${job.id ?? ''} on it was completed (${job.conclusion ?? 'no conclusion'}) ${when} ago`,
        ]),
      ]
    }),
}
