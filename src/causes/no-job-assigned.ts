import { limitedWhile, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { anyEviction, deadline, wasOomKilled } from '#/core/why/grounds.ts'
import { thePod, upper } from '#/core/why/wording.ts'

const SILENT_MS = 10_000

/** The last words of a runner are about its leaving; a log without them may have been cut. */
function endsEarly({ log, ending, told }: Dossier): boolean {
  if (log === null || log.lastAt === null || ending.at === null) return false
  return log.lastAt < ending.at - SILENT_MS && told('listener-exited', 'runner-told-to-stop').length === 0
}

export const noJobAssigned: Cause = {
  id: 'no-job-assigned',
  kind: 'not-a-death',
  meaning: 'the runner ended without ever having had a job',
  toldApart:
    'The log is whole from the start and shows no job, or the job was gone before the runner could acquire it.',
  settledBy: ['logs', 'github/jobs'],
  weigh: (d) => [
    ...speaksFor(0.85, d.told('job-gone')),
    ...speaksFor(0.8, d.told('job-taken-elsewhere')),
    ...speaksFor(0.75, d.working.idle),
    ...speaksFor(
      0.3,
      d.ending.facts.filter(({ told }) => told['code'] === '0'),
    ),
    ...speaksFor(
      0.3,
      d.removals.map(({ fact }) => fact),
    ),
    ...speaksAgainst(d.told('job-running', 'job-result')),
    ...speaksAgainst(d.told('job-gone', 'job-taken-elsewhere').length === 0 ? d.working.had : []),
    ...speaksAgainst(
      d.told('self-update', 'session-conflict', 'runner-deregistered', 'runner-version-refused', 'not-authorized'),
    ),
    ...speaksAgainst(anyEviction(d)),
    ...speaksAgainst(deadline(d)),
    ...speaksAgainst(wasOomKilled(d)),
    ...limitedWhile(
      d.working.idle === null && d.told('job-gone', 'job-taken-elsewhere').length === 0,
      'nothing shows that it never had a job',
      { missing: ['logs'], at: 0.3 },
    ),
    ...limitedWhile(
      d.told('job-gone', 'job-taken-elsewhere').length === 0 && endsEarly(d),
      'the log ends before the runner did, and may have lost the job with its end',
      { missing: ['github/jobs'] },
    ),
    ...limitedWhile(
      d.subject.jobId !== null && d.job === null && d.told('job-gone', 'job-taken-elsewhere').length === 0,
      'the question names a job, and GitHub could not be asked about it',
      { missing: ['github/jobs'] },
    ),
    ...limitedWhile(d.isAlive && d.told('job-gone').length === 0, 'the runner still waits for a job', { at: 0.3 }),
  ],
  sentence: (d) =>
    d.told('job-gone', 'job-taken-elsewhere').length > 0
      ? `${upper(thePod(d))} ended without work: the job was gone before it could take it.`
      : `${upper(thePod(d))} ended without ever having had a job.`,
  next: (d) =>
    d.told('job-gone').length > 0
      ? [
          'Nothing was lost. Look whether the run was cancelled, or another runner took the job; on a lane of one runner the slot is free only when this pod is gone.',
        ]
      : [
          'Nothing was lost. If it happens often, the scale set makes more runners than there are jobs: look at its minimum and at duplicate labels.',
        ],
}
