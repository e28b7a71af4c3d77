import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import { isMicroVm } from '#/core/why/ending.ts'
import { limitedByWork, refutedByOtherEnds, refutedByStop } from '#/core/why/weighing/shared-facts.ts'
import { thePod, whileWorking } from '#/core/why/wording.ts'

export const oomGuest: Cause = {
  id: 'oom-guest',
  kind: 'death',
  meaning: 'memory ran out inside the microVM',
  distinguishedBy:
    'The host sees nothing: only vitals from inside the guest, or its console, show it. The end is abrupt: exit code 137, a raw 9, or 255.',
  settledBy: ['logs', 'journal'],
  weigh: (d) => [
    ...supports(0.85, d.memory.guest),
    ...supports(0.6, d.guestKills),
    ...supports(0.55, d.subjectClues('guest-memory-short')),
    ...supports(
      WEIGHT.weak,
      d.memory.guest.length + d.guestKills.length > 0
        ? d.ending.facts.filter(
            ({ fields }) => fields['code'] === String(EXIT_CODES.killed) || fields['code'] === String(EXIT_CODES.lost),
          )
        : [],
    ),
    ...contradicts(d.memory.vm),
    ...refutedByStop(d),
    ...refutedByOtherEnds(d),
    ...limitedByWork(d),
    ...limitedWhile(!isMicroVm(d), 'the pod is not known to be a microVM', { missing: ['kubernetes/pods'] }),
  ],
  sentence: (d) => `Memory ran out inside the microVM of ${thePod(d)}${whileWorking(d)}; the host had enough.`,
  next: () => [
    'Give the guest more memory (the container limit sets its size, minus the RuntimeClass overhead), or make the job smaller. The host cannot see this: keep vitals.sh running in the guest (docs/evidence.md, "Vitals").',
  ],
}
