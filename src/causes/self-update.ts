import { speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { workDone } from '#/core/why/grounds.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const selfUpdate: Cause = {
  id: 'self-update',
  kind: 'not-a-death',
  meaning: 'the runner left to update itself',
  toldApart: 'The runner log says so. A JIT runner cannot register again afterwards.',
  settledBy: ['logs'],
  weigh: (d) => [
    ...speaksFor(0.9, d.told('self-update')),
    ...speaksFor(
      0.85,
      d.told('listener-exited').filter(({ text }) => /because of updating/.test(text)),
    ),
    ...speaksAgainst(workDone(d)),
    ...speaksAgainst(d.told('runner-version-refused')),
  ],
  sentence: (d) => `${upper(thePod(d))} left to update itself.`,
  next: () => [
    'Turn self-update off (disableupdate in the registration, or RUNNER_DISABLE_AUTO_UPDATE) and update the image instead: a one-time runner cannot register again.',
  ],
}
