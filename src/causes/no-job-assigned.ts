import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { anyEviction, deadline, wasOomKilled } from '#/core/why/shared-facts.ts'
import { thePod, upper } from '#/core/why/wording.ts'

const SILENT_MS = 10_000

/** The last log lines of a runner are about its exit. A log without them may be cut off. */
function endsEarly(d: Dossier): boolean {
  const { log, ending } = d
  if (log === null || log.lastAt === null || ending.at === null) return false
  return log.lastAt < ending.at - SILENT_MS && d.subjectClues('listener-exited', 'runner-stop-requested').length === 0
}

export const noJobAssigned: Cause = {
  id: 'no-job-assigned',
  kind: 'not-a-death',
  meaning: 'the runner ended without ever having had a job',
  distinguishedBy:
    'The log is complete from the start and shows no job, or the job was gone before the runner could acquire it.',
  settledBy: ['logs', 'github/jobs'],
  weigh: (d) => [
    ...supports(0.85, d.subjectClues('job-gone')),
    ...supports(0.8, d.subjectClues('job-taken-elsewhere')),
    ...supports(0.75, d.working.idle),
    ...supports(
      0.3,
      d.ending.facts.filter(({ fields }) => fields['code'] === '0'),
    ),
    ...supports(
      0.3,
      d.removals.map(({ fact }) => fact),
    ),
    ...contradicts(d.subjectClues('job-running', 'job-result')),
    ...contradicts(d.subjectClues('job-gone', 'job-taken-elsewhere').length === 0 ? d.working.had : []),
    ...contradicts(
      d.subjectClues(
        'self-update',
        'session-conflict',
        'runner-deregistered',
        'runner-version-refused',
        'not-authorized',
      ),
    ),
    ...contradicts(anyEviction(d)),
    ...contradicts(deadline(d)),
    ...contradicts(wasOomKilled(d)),
    ...limitedWhile(
      d.working.idle === null && d.subjectClues('job-gone', 'job-taken-elsewhere').length === 0,
      'nothing shows that it never had a job',
      { missing: ['logs'], at: 0.3 },
    ),
    ...limitedWhile(
      d.subjectClues('job-gone', 'job-taken-elsewhere').length === 0 && endsEarly(d),
      'the log ends before the runner did, and the missing part may show a job',
      { missing: ['github/jobs'] },
    ),
    ...limitedWhile(
      d.subject.jobId !== null && d.job === null && d.subjectClues('job-gone', 'job-taken-elsewhere').length === 0,
      'the question names a job that GitHub could not be asked about',
      { missing: ['github/jobs'] },
    ),
    ...limitedWhile(d.isAlive && d.subjectClues('job-gone').length === 0, 'the runner still waits for a job', {
      at: 0.3,
    }),
  ],
  sentence: (d) =>
    d.subjectClues('job-gone', 'job-taken-elsewhere').length > 0
      ? `${upper(thePod(d))} ended without a job: the job was gone before the runner could take it.`
      : `${upper(thePod(d))} ended without ever getting a job.`,
  next: (d) =>
    d.subjectClues('job-gone').length > 0
      ? [
          'Nothing was lost. Check whether the run was cancelled or another runner took the job. In a lane of one runner, the slot is free only when this pod is gone.',
        ]
      : [
          'Nothing was lost. If it happens often, the scale set starts more runners than there are jobs: check its minimum and duplicate labels.',
        ],
}
