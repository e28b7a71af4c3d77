import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { deadline, hasSucceeded } from '#/core/why/weighing/shared-facts.ts'
import { thePod, whileWorking } from '#/core/why/wording.ts'

export const deadlineExceeded: Cause = {
  id: 'deadline-exceeded',
  kind: 'death',
  meaning: "the pod's own `activeDeadlineSeconds` ran out",
  distinguishedBy:
    "The pod's reason is DeadlineExceeded. The runner gets SIGTERM with its full grace and nobody deletes the pod, so the log alone looks like a drain.",
  settledBy: ['kubernetes/pods', 'kubernetes/events'],
  isProvenByStatus: true,
  weigh: (d) => [...supports(0.96, deadline(d)), ...contradicts(hasSucceeded(d))],
  actor: () => 'kubelet',
  sentence: (d) =>
    `The kubelet ended ${thePod(d)}${whileWorking(d)}: its deadline${d.pod?.deadlineSeconds === null || d.pod === null ? '' : ` of ${d.pod.deadlineSeconds} s`} ran out.`,
  next: (d) => [
    `Raise activeDeadlineSeconds${d.pod?.deadlineSeconds === null || d.pod === null ? '' : ` (${d.pod.deadlineSeconds} now)`} above the longest job plus the wait for it: it counts from the start of the pod, including idle time.`,
  ],
}
