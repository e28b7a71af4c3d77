import { WEIGHT, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded } from '#/core/why/grounds.ts'
import { theJob, toldBy, upper } from '#/core/why/wording.ts'

export const jobTimedOut: Cause = {
  id: 'job-timed-out',
  kind: 'not-a-death',
  meaning: "`timeout-minutes` or GitHub's own limit ran out",
  toldApart:
    'The annotation names the minutes. The conclusion may read cancelled: GitHub ends a job at its limit by cancelling it.',
  settledBy: ['github/annotations', 'github/jobs', 'github/logs'],
  weigh: (d) => [
    ...speaksFor(WEIGHT.decisive, d.told('job-time-limit')),
    ...speaksFor(0.9, concluded(d, 'timed_out')),
    ...speaksFor(0.9, d.told('step-timed-out')),
    ...speaksAgainst(concluded(d, 'success')),
  ],
  sentence: (d) => {
    const minutes = toldBy(d, 'job-time-limit', 'minutes') ?? toldBy(d, 'step-timed-out', 'minutes')
    return `${upper(theJob(d))} exceeded its time limit${minutes === null ? '' : ` of ${minutes} minutes`}.`
  },
  next: (d) => [
    `Compare with the usual duration of ${theJob(d)}: raise timeout-minutes if it grew, or find the step that hangs. The runner did not set this limit.`,
  ],
}
