import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { unreachable } from '#/core/why/exhaustion.ts'
import { nodePressed, pressure, stalls, wasHeldUp } from '#/core/why/starvation.ts'
import { concluded, loggedStopSigns, workDone } from '#/core/why/weighing/shared-facts.ts'
import { theJob, thePod, upper } from '#/core/why/wording.ts'

export const lockLost: Cause = {
  id: 'lock-lost',
  kind: 'death',
  meaning: 'the runner failed to renew its job lock and abandoned the job',
  distinguishedBy:
    'A lock renewal fails, then the runner abandons the job (Abandoned). Versions up to 2.336.0 do so on a single failure, with a NullReferenceException.',
  settledBy: ['logs'],
  weigh: (d) => {
    const failing = d.subjectClues('lock-renewal-failing')
    const bug = failing.length > 0 ? d.subjectClues('renewal-null-reference') : []
    const abandoned = d.working.result?.fields['result'] === 'Abandoned' ? d.working.result : null
    const lost = [...d.subjectClues('lock-lost'), ...bug]
    return [
      ...supports(0.9, d.subjectClues('lock-lost')),
      ...supports(0.85, bug),
      ...supports(0.7, abandoned),
      ...supports(0.6, d.subjectClues('job-dropped-by-server')),
      ...supports(0.3, lost.length > 0 ? d.working.github.lost : []),
      ...contradicts(concluded(d, 'success', 'timed_out')),
      ...contradicts(d.subjectClues('cancellation-received', 'job-time-limit')),
      ...contradicts(loggedStopSigns(d).filter(({ at }) => (at ?? Infinity) < (lost[0]?.at ?? 0))),
      ...contradicts(workDone(d)),
      ...contradicts(unreachable(d)),
      ...contradicts(lost.length === 0 && wasHeldUp(d) ? [...stalls(d), ...nodePressed(d), ...pressure(d)] : []),
      ...limitedWhile(
        lost.length === 0 && wasHeldUp(d),
        'the runner renewed late and never failed to: it may have been starved',
        { missing: ['journal', 'cgroup'] },
      ),
      ...limitedWhile(
        lost.length === 0 && abandoned === null,
        'the runner log does not show that it abandoned the job',
        {
          missing: ['logs'],
        },
      ),
    ]
  },
  sentence: (d) => `${upper(thePod(d))} could not renew the lock of ${theJob(d)} and abandoned it.`,
  next: (d) =>
    d.subjectClues('renewal-null-reference').length > 0
      ? [
          'This is the known bug of actions/runner up to 2.336.0 (issue 4635): one failed renewal abandons a healthy job. Update the runner; rerun the job.',
        ]
      : [
          'Check the network and the status of GitHub in the ten minutes before: the lock lasts ten minutes and is renewed every minute. Rerun the job.',
        ],
}
