import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { concluded } from '#/core/why/weighing/shared-facts.ts'
import { theJob, clueField, upper } from '#/core/why/wording.ts'

export const jobTimedOut: Cause = {
  id: 'job-timed-out',
  kind: 'not-a-death',
  meaning: "`timeout-minutes` or GitHub's own limit ran out",
  distinguishedBy:
    'The annotation names the minutes. The conclusion may read cancelled: GitHub ends a job at its limit by cancelling it.',
  settledBy: ['github/annotations', 'github/jobs', 'github/logs'],
  weigh: (d) => [
    ...supports(WEIGHT.decisive, d.subjectClues('job-time-limit')),
    ...supports(0.9, concluded(d, 'timed_out')),
    ...supports(0.9, d.subjectClues('step-timed-out')),
    ...contradicts(concluded(d, 'success')),
  ],
  sentence: (d) => `${upper(theJob(d))} exceeded its time limit${describeLimit(d)}.`,
  next: (d) => [
    `Compare with the usual duration of ${theJob(d)}: raise timeout-minutes if it grew, or find the step that hangs. The runner did not set this limit.`,
  ],
}

function describeLimit(d: Dossier): string {
  const minutes = clueField(d, 'job-time-limit', 'minutes') ?? clueField(d, 'step-timed-out', 'minutes')
  const duration = clueField(d, 'job-time-limit', 'duration')
  if (minutes !== null) return ` of ${minutes} minutes`
  return duration === null ? '' : ` of ${duration}`
}
