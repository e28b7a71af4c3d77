import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { anyEviction, deadline, wasOomKilled } from '#/core/why/weighing/shared-facts.ts'
import { stoppedInit } from '#/core/why/weighing/not-started.ts'
import { scaleDowns } from '#/core/why/scale-down.ts'
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
  weigh: (d) => {
    const gone = d.subjectClues('job-gone', 'job-taken-elsewhere')
    const removed = scaleDowns(d)
    const unstarted = stoppedInit(d)
    const isKnown = gone.length + unstarted.length > 0
    return [
      ...supports(0.85, d.subjectClues('job-gone')),
      ...supports(0.8, d.subjectClues('job-taken-elsewhere')),
      ...supports(0.75, d.working.idle),
      ...supports(0.75, removed),
      ...supports(0.6, unstarted),
      ...supports(
        0.3,
        d.ending.facts.filter(({ fields }) => fields['code'] === '0'),
      ),
      ...supports(
        0.3,
        d.removals.map(({ fact }) => fact),
      ),
      ...contradicts(d.subjectClues('job-running', 'job-result')),
      ...contradicts(gone.length === 0 ? d.working.had : []),
      ...contradicts(d.subjectClues('self-update', 'session-conflict', 'runner-version-refused', 'not-authorized')),
      ...contradicts(removed.length + gone.length === 0 ? d.subjectClues('runner-deregistered') : []),
      ...contradicts(anyEviction(d)),
      ...contradicts(deadline(d)),
      ...contradicts(wasOomKilled(d)),
      ...limitedWhile(d.working.idle === null && !isKnown, 'nothing shows that it never had a job', {
        missing: ['logs'],
        at: 0.3,
      }),
      ...limitedWhile(
        !isKnown && endsEarly(d),
        'the log ends before the runner did, and the missing part may show a job',
        { missing: ['github/jobs'] },
      ),
      ...limitedWhile(
        d.subject.jobId !== null && d.job === null && !isKnown,
        'the question names a job that GitHub could not be asked about',
        { missing: ['github/jobs'] },
      ),
      ...limitedWhile(d.isAlive && gone.length === 0, 'the runner still waits for a job', { at: 0.3 }),
    ]
  },
  actor: (d) => d.removals.find(({ by, isAfterEnd }) => by !== null && !isAfterEnd)?.by ?? null,
  sentence: (d) =>
    d.subjectClues('job-gone', 'job-taken-elsewhere').length > 0
      ? `${upper(thePod(d))} ended without a job: the job was gone before the runner could take it.`
      : `${upper(thePod(d))} ended without ever getting a job${scaleDowns(d).length > 0 ? ': ARC removed the idle runner' : ''}.`,
  next: (d) =>
    d.subjectClues('job-gone').length > 0
      ? [
          'Nothing was lost. Check whether the run was cancelled or another runner took the job. In a lane of one runner, the slot is free only when this pod is gone.',
        ]
      : [
          'Nothing was lost. If it happens often, the scale set starts more runners than there are jobs: check its minimum and duplicate labels.',
        ],
}
