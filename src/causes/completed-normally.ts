import { WEIGHT, limitedWhile, seemsToContradict, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded, hasSucceeded, reapings } from '#/core/why/weighing/shared-facts.ts'
import { theJob, thePod, upper } from '#/core/why/wording.ts'

const WORKER_SUCCEEDED = '100'

export const completedNormally: Cause = {
  id: 'completed-normally',
  kind: 'not-a-death',
  meaning: 'the job ended and GitHub knows',
  distinguishedBy:
    'Both the runner (job result, exit of the one-time runner) and GitHub (conclusion) say so. A later delete of the pod, even with grace 0, is clean-up.',
  settledBy: ['github/jobs', 'logs', 'kubernetes/pods'],
  weigh: (d) => {
    const atGitHub = concluded(d, 'success', 'neutral')
    return [
      ...supports(0.85, atGitHub),
      ...supports(
        0.65,
        hasSucceeded(d).filter(({ is }) => is === 'job-result'),
      ),
      ...supports(WEIGHT.medium, d.working.left),
      ...supports(
        WEIGHT.medium,
        d.subjectClues('worker-exited').filter(({ fields }) => fields['code'] === WORKER_SUCCEEDED),
      ),
      ...supports(
        0.4,
        d.ending.facts.filter(({ fields }) => fields['code'] === '0'),
      ),
      ...seemsToContradict(reapings(d)),
      ...contradicts(d.working.github.lost),
      ...contradicts(concluded(d, 'failure', 'cancelled', 'timed_out')),
      ...limitedWhile(atGitHub.length === 0, 'the conclusion at GitHub is missing', { missing: ['github/jobs'] }),
    ]
  },
  sentence: (d) => `${upper(theJob(d))} completed on ${thePod(d)}, and GitHub has its result.`,
  next: () => ['Nothing to do: the runner ended after its job.'],
}
