import { WEIGHT, limitedWhile, seemsAgainst, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded, hasSucceeded, reapings } from '#/core/why/grounds.ts'
import { theJob, thePod, upper } from '#/core/why/wording.ts'

const WORKER_SUCCEEDED = '100'

export const completedNormally: Cause = {
  id: 'completed-normally',
  kind: 'not-a-death',
  meaning: 'the job ended and GitHub knows',
  toldApart:
    'Both the runner (job result, exit of the one-time runner) and GitHub (conclusion) say so. A later delete of the pod, even with grace 0, is clean-up.',
  settledBy: ['github/jobs', 'logs', 'kubernetes/pods'],
  weigh: (d) => {
    const atGitHub = concluded(d, 'success', 'neutral')
    return [
      ...speaksFor(0.85, atGitHub),
      ...speaksFor(
        0.65,
        hasSucceeded(d).filter(({ is }) => is === 'job-result'),
      ),
      ...speaksFor(WEIGHT.medium, d.working.left),
      ...speaksFor(
        WEIGHT.medium,
        d.told('worker-exited').filter(({ told }) => told['code'] === WORKER_SUCCEEDED),
      ),
      ...speaksFor(
        0.4,
        d.ending.facts.filter(({ told }) => told['code'] === '0'),
      ),
      ...seemsAgainst(reapings(d)),
      ...speaksAgainst(d.working.github.lost),
      ...speaksAgainst(concluded(d, 'failure', 'cancelled', 'timed_out')),
      ...limitedWhile(atGitHub.length === 0, 'the conclusion at GitHub is missing', { missing: ['github/jobs'] }),
    ]
  },
  sentence: (d) => `${upper(theJob(d))} completed on ${thePod(d)}, and GitHub has its result.`,
  next: () => ['Nothing to do: the runner ended after its job.'],
}
