import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { workDone } from '#/core/why/weighing/shared-facts.ts'
import { scaleDowns } from '#/core/why/scale-down.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const runnerDeregistered: Cause = {
  id: 'runner-deregistered',
  kind: 'never-started',
  meaning: 'the registration was removed on the server',
  distinguishedBy:
    'GitHub once knew the runner and no longer does. A runner that has done its one job is removed too: then the job has ended.',
  settledBy: ['logs', 'github/runners'],
  weigh: (d) => [
    ...supports(0.92, d.subjectClues('runner-deregistered')),
    ...contradicts(workDone(d)),
    ...contradicts(d.subjectClues('job-running')),
    ...contradicts(scaleDowns(d)),
    // GitHub clears away a runner whose one job another runner took.
    ...contradicts(d.subjectClues('job-gone', 'job-taken-elsewhere')),
  ],
  sentence: (d) => `${upper(thePod(d))} never took a job: its registration was removed at GitHub.`,
  next: () => [
    'Find what removes registrations: a clean-up script, a second controller, or GitHub itself, which removes runners that were offline for fourteen days (ephemeral runners: one day).',
  ],
}
