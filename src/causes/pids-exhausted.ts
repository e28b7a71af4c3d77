import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { anyEviction, concluded } from '#/core/why/weighing/shared-facts.ts'
import { refusedForks } from '#/core/why/exhaustion.ts'
import { thePod, upper, whileWorking } from '#/core/why/wording.ts'

export const pidsExhausted: Cause = {
  id: 'pids-exhausted',
  kind: 'death',
  meaning: 'no process ids left',
  distinguishedBy:
    "The pod's own cgroup holds the limit; the container's pids.max shows max, and its pids.events counts the refusals.",
  settledBy: ['journal', 'cgroup', 'logs', 'github/logs'],
  weigh: (d) => [
    ...supports(0.75, d.subjectClues('fork-failed')),
    ...supports(0.9, d.subjectClues('fork-rejected')),
    ...supports(0.8, refusedForks(d)),
    ...contradicts(concluded(d, 'success')),
    ...contradicts(anyEviction(d)),
  ],
  sentence: (d) =>
    `${upper(thePod(d))} could not start more processes${whileWorking(d)}: its process ids were used up.`,
  next: () => [
    'Raise podPidsLimit of the kubelet for this pool, or find the step that leaves processes behind (ps in the runner shows them).',
  ],
}
