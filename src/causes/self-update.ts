import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { workDone } from '#/core/why/weighing/shared-facts.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const selfUpdate: Cause = {
  id: 'self-update',
  kind: 'not-a-death',
  meaning: 'the runner left to update itself',
  distinguishedBy: 'The runner log says so. A JIT runner cannot register again afterwards.',
  settledBy: ['logs'],
  weigh: (d) => [
    ...supports(0.9, d.subjectClues('self-update')),
    ...supports(
      0.85,
      d.subjectClues('listener-exited').filter(({ text }) => /because of updating/.test(text)),
    ),
    ...contradicts(workDone(d)),
    ...contradicts(d.subjectClues('runner-version-refused')),
  ],
  sentence: (d) => `${upper(thePod(d))} left to update itself.`,
  next: () => [
    'Turn self-update off (disableupdate in the registration, or RUNNER_DISABLE_AUTO_UPDATE) and update the image instead: a one-time runner cannot register again.',
  ],
}
