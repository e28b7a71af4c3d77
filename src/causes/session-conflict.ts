import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const sessionConflict: Cause = {
  id: 'session-conflict',
  kind: 'never-started',
  meaning: "the runner's session or JIT configuration was already in use",
  distinguishedBy: 'The runner logs that a session exists and retries for four minutes before it gives up.',
  settledBy: ['logs'],
  weigh: (d) => [
    ...supports(0.93, d.subjectClues('session-conflict')),
    ...supports(
      0.9,
      d.subjectClues('listener-exited').filter(({ fields }) => fields['how'] === 'Session Conflict error'),
    ),
    ...contradicts(d.working.had),
    ...contradicts(
      d
        .subjectClues('runner-listening')
        .filter(({ at }) => (at ?? 0) > (d.subjectClues('session-conflict').at(-1)?.at ?? Infinity)),
    ),
  ],
  sentence: (d) => `${upper(thePod(d))} never took a job: its registration already had a session.`,
  next: () => [
    'Look for a second pod with the same JIT configuration or runner name: a restart with an old configuration, or a pod that was created twice.',
  ],
}
