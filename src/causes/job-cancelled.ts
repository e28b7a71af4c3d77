import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded, loggedStopSigns } from '#/core/why/weighing/shared-facts.ts'
import { theJob, upper } from '#/core/why/wording.ts'

export const jobCancelled: Cause = {
  id: 'job-cancelled',
  kind: 'not-a-death',
  meaning: 'a person or the server cancelled it',
  distinguishedBy:
    'GitHub cancelled first; the signal in the step is its effect. A runner that is stopped with its pod reports a failure, not a cancellation.',
  settledBy: ['github/jobs', 'github/annotations', 'logs'],
  weigh: (d) => {
    const asked = d.subjectClues('cancellation-received')
    const [first] = asked
    const earlier = loggedStopSigns(d).filter(
      ({ at, is }) => is === 'runner-stop-requested' && at !== null && (first === undefined || at < (first.at ?? 0)),
    )
    return [
      ...supports(0.8, concluded(d, 'cancelled')),
      ...supports(0.75, asked),
      ...supports(0.9, d.subjectClues('cancelled-by-concurrency')),
      ...supports(0.6, d.working.result?.fields['result'] === 'Canceled' ? d.working.result : null),
      ...supports(0.4, d.subjectClues('job-dropped-by-server')),
      ...contradicts(d.subjectClues('job-time-limit')),
      ...contradicts(concluded(d, 'success', 'timed_out')),
      ...contradicts(d.subjectClues('shutdown-annotated')),
      ...contradicts(earlier),
      ...contradicts(
        d.subjectClues('job-running').length === 0 ? d.subjectClues('job-gone', 'job-taken-elsewhere') : [],
      ),
      ...contradicts(
        asked.length === 0 && d.working.result?.fields['result'] === 'Abandoned' ? d.working.result : null,
      ),
      ...limitedWhile(
        !d.wasRead('github/annotations') && d.subjectClues('cancelled-by-concurrency').length === 0,
        'GitHub also cancels a job whose time limit runs out',
        { missing: ['github/annotations'] },
      ),
      ...limitedWhile(
        asked.length === 0 && d.subjectClues('cancelled-by-concurrency').length === 0,
        'the runner log, which shows who ended the job, is missing',
        { missing: ['logs'] },
      ),
      ...limitedWhile(d.working.had.length === 0, 'nothing shows that this runner had the job', {
        missing: ['github/jobs', 'logs'],
      }),
      ...limitedWhile(d.working.github.lost.length > 0, 'GitHub says that it lost the runner', { at: 0.4 }),
    ]
  },
  sentence: (d) =>
    d.subjectClues('cancelled-by-concurrency').length > 0
      ? `${upper(theJob(d))} was cancelled by GitHub for a newer run of its concurrency group.`
      : `${upper(theJob(d))} was cancelled at GitHub, and the runner stopped it.`,
  next: (d) =>
    d.subjectClues('cancelled-by-concurrency').length > 0
      ? ['Nothing to fix. Set cancel-in-progress to false in the concurrency group if such runs should finish.']
      : ['Nothing to fix on the runners: the run shows who cancelled it.'],
}
